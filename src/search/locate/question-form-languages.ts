/** Questions in other languages than English that ask for a reason, an explanation, or yes or no, by their words. */

const REASONS: readonly RegExp[] = [
  /^(?:warum|wieso|weshalb|wie (?:funktioniert|geht|mache|kann|muss|soll)|erkläre?|beschreibe?) /iu,
  /^(?:pourquoi|comment(?! s['’]appel)|explique[rz]?|décri[st]) /iu,
  /^(?:¿ ?)?(?:por qué|cómo(?! se llam)|explica|describe) /iu,
  /^(?:perch[eé]|come(?! si chiam) (?:si|posso|devo|funziona)|spiega) /iu,
  /^(?:por que|porqu[eê]|como(?! se cham) (?:se|posso|devo|funciona|faço)|explique) /iu,
  /^(?:waarom|hoe (?:werkt|kan|moet|gaat|doe)|leg uit) /iu,
  /^(?:dlaczego|czemu|jak (?:działa|mogę|można|należy|zrobić)|wyjaśnij|opisz) /iu,
  /^(?:почему|зачем|как (?:работает|можно|нужно|сделать|мне)|объясни) /iu,
  /^(?:لماذا|كيف) /u,
  /为什么|為什麼|为何|為何|怎么办|怎么样才|如何/u,
  /なぜ|どうして|どうやって|どのように/u,
  /왜|어떻게/u,
];

const YES_OR_NO: readonly RegExp[] = [
  /^(?:ist|sind|war|waren|darf|dürfen|kann|können|muss|müssen|soll|sollen|wird|werden) /iu,
  /^(?:hat|haben|gilt|gelten|gehört|brauche|braucht|gibt es) /iu,
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
  /[吗嗎] $|是否|能不能|可不可以|是不是|有没有|有沒有|要不要|需不需要/u,
];

const JAPANESE_QUESTION = /か $/u;
const JAPANESE_WORDS = /何|なに|なん|誰|だれ|いつ|どこ|どの|どれ|どちら|いくら|いくつ|なぜ|どう|どんな|幾/u;
const KOREAN_QUESTION = /(?:까|나|가|까요|나요|가요) $/u;
const KOREAN_WORDS = /무엇|무슨|뭐|뭘|누구|누가|언제|어디|어느|어떤|얼마|몇|왜|어떻게/u;

/** Words that begin questions in other languages, and are spelled as English verbs: German "was", Polish "do". */
const FALSE_FRIENDS: readonly RegExp[] = [
  /^was (?:kostet|kosten|ist|sind|war|hat|haben|passiert|geschieht|muss|darf|kann|soll|gilt|gehört|bedeutet) /iu,
  /^was (?:macht|tun|tut|wird|werden|heißt|steht|braucht|brauche|bekomme|bekommt|mache|für|man|ich) /iu,
  /^am (?!i )/iu,
  /^do (?:kiedy|czego|kogo|ilu|ile|jak|któr)/iu,
];

const anyOf = (patterns: readonly RegExp[], text: string): boolean => patterns.some((pattern) => pattern.test(text));

/** Words separated by single spaces, with one space at the end instead of a question mark. */
function words(question: string): string {
  return `${question
    .replace(/[?？。؟]/gu, " ")
    .trim()
    .replace(/\s+/gu, " ")} `;
}

/** True for a question that is not English, although its first word is spelled as an English verb. */
export function isFalseFriend(question: string): boolean {
  return anyOf(FALSE_FRIENDS, words(question));
}

/** True for a question whose answer is a sentence: "Warum …?", "Darf ich …?", "…吗？" */
export function asksForSentence(question: string): boolean {
  const text = words(question);
  if (anyOf(REASONS, text) || anyOf(YES_OR_NO, text)) return true;
  if (JAPANESE_QUESTION.test(text)) return !JAPANESE_WORDS.test(text);
  return KOREAN_QUESTION.test(text) && !KOREAN_WORDS.test(text);
}
