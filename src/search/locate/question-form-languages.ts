/** Questions in other languages than English that ask for a reason, an explanation, or yes or no, by their words. */

const REASONS: readonly RegExp[] = [
  /^(?:warum|wieso|weshalb|wie (?:funktioniert|geht|mache|kann|muss|soll)|erkläre?|beschreibe?) /iu,
  /^(?:pourquoi|comment (?!s['’]|se (?:nomm|prénomm)|(?:period|form|section|deadline)s?\b)|expliquez |décri[st] )/iu,
  /^(?:¿ ?)?(?:por qué|cómo(?! se (?:llam|denomin))|explica|describe) (?!(?:importe|cantidad|valor|precio|periodo|período) )/iu,
  /^(?:perch[eé]|come (?:si(?! chiam)|posso|devo|funziona)|spiega) /iu,
  /^(?:por que|porqu[eê]|como (?:se(?! (?:cham|llam|denomin))|posso|devo|funciona|faço)) (?!(?:valor|preço|período|quantia) )/iu,
  /^(?:waarom|hoe (?:werkt|kan|moet|gaat|doe)|leg uit) /iu,
  /^(?:dlaczego|czemu|jak (?:działa|mogę|można|należy|zrobić)|wyjaśnij|opisz) /iu,
  /^(?:почему|зачем|как (?:работает|можно|нужно|сделать|мне)|объясни) /iu,
  /^(?:لماذا|كيف) /u,
];

/** Reasons in languages without spaces, and Korean. */
const REASONS_INSIDE =
  /为什么|為什麼|为何|為何|怎么办|如何|なぜ|どうして|どうやって|どのように|(?:^| )왜 |어떻게 (?!되|돼)/u;

const YES_OR_NO: readonly RegExp[] = [
  /^(?:ist|sind|waren|darf|dürfen|kann|können|muss|müssen|soll|sollen|wird|werden) /iu,
  /^(?:haben|gilt|gelten|gehört|brauche|braucht|gibt es) /iu,
  /^(?:war|hat) (?:der|die|das|ein|eine|es|er|sie|ich|man|mein|meine|jemand|jeder|jede) /iu,
  /^(?:est-ce qu|y a-t-il |(?:puis|dois|suis|ai)-je |(?:peut|doit|est)-on )/iu,
  /^(?:(?:peut|doit|faut|est|a-t)-(?:il|elle) |sont-(?:ils|elles) )/iu,
  /^¿ ?(?:es|son|está|están|se pueden?|puedo|podemos|puede|pueden|debo|debe) /iu,
  /^¿ ?(?:hay|tengo|tiene|tienen|incluye|cubre|necesito) /iu,
  /^(?:è |si può |si possono |posso |possiamo |devo |bisogna |ci sono |c['’]è )/iu,
  /^(?:é|pode-se|podemos|é preciso|há) /iu,
  /^(?:zijn|mag|mogen|kan|kunnen|moet|moeten|heeft|hebben|wordt|worden) /iu,
  /^czy /iu,
  /^(?:можно|нужно|надо|разрешено|обязательно) /iu,
  / ли /iu,
  /^هل /u,
];
const CHINESE_YES_OR_NO = /[吗嗎] $|是否|能不能|可不可以|是不是|有没有|有沒有|要不要|需不需要/u;
/** Words that ask for a name, a place, a time or a number. */
const CHINESE_WORDS = /谁|誰|哪|几|幾|多少|什么时候|什麼時候|多久|多大|多高|多长|多長/u;

const JAPANESE_QUESTION = /か $/u;
const JAPANESE_WORDS =
  /何|なに|なん|誰|だれ|どなた|いつ|どこ|どの|どれ|どちら|どっち|いずれ|いくら|いくつ|いかほど|なぜ|どう|どんな|幾/u;
const KOREAN_QUESTION = /(?:까|까요|나요|가요) $/u;
const KOREAN_WORDS = /무엇|무슨|무얼|뭐|뭘|뭔|뭡|누구|누가|누군|언제|언젠|어디|어딘|어느|어떤|얼마|얼만|몇|왜|어떻게/u;

/** Words that begin questions in other languages, and are spelled as English verbs: German "was", Polish "do". */
const FALSE_FRIENDS: readonly RegExp[] = [
  /^was (?:kostet|kosten|ist|sind|hat|haben|passiert|geschieht|muss|darf|kann|soll|gilt|gehört|bedeutet) /iu,
  /^was (?:macht|tun|tut|wird|werden|heißt|steht|braucht|brauche|bekomme|bekommt|mache|für|man|ich) /iu,
  /^am (?!i\b)/iu,
  /^do (?:kiedy|czego|kogo|ilu|ile|jak|jaki|jakiej|jakiego|jakich|której|którego|których|którym) /iu,
];

/** Titles and names in quotation marks, whose words do not ask. */
const QUOTED = /《[^《》]*》|「[^「」]*」|『[^『』]*』|“[^“”]*”|"[^"]*"/gu;

const anyOf = (patterns: readonly RegExp[], text: string): boolean => patterns.some((pattern) => pattern.test(text));

/** Words separated by single spaces, with one space at the end instead of a question mark; without quoted titles. */
function words(question: string): string {
  const text = question.replace(QUOTED, " ").replace(/[?？。؟]/gu, " ");
  return `${text.trim().replace(/\s+/gu, " ")} `;
}

/** True for a question that is not English, although its first word is spelled as an English verb. */
export function isFalseFriend(question: string): boolean {
  return anyOf(FALSE_FRIENDS, words(question));
}

/** True for a question whose answer is a sentence: "Warum …?", "Darf ich …?", "…吗？" */
export function asksForSentence(question: string): boolean {
  const text = words(question);
  if (anyOf(REASONS, text) || anyOf(YES_OR_NO, text)) return true;
  if (CHINESE_WORDS.test(text)) return false;
  if (REASONS_INSIDE.test(text) || CHINESE_YES_OR_NO.test(text)) return true;
  if (JAPANESE_QUESTION.test(text)) return !JAPANESE_WORDS.test(text);
  return KOREAN_QUESTION.test(text) && !KOREAN_WORDS.test(text);
}
