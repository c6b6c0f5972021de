/**
 * What questions in other languages than English ask for, by their words: steps, several things, a reason, an
 * explanation, or yes or no.
 */

const STEPS: readonly RegExp[] = [
  /^wie (?:funktioniert|geht|kann|muss|soll|mache|wird|werden|lässt sich|(?!nenn|heiß|bezeichn|lang|oft|viel|weit|hoch|groß|alt|spät|früh|schnell|teuer|schwer|tief|breit)\p{L}+ (?:ich|man|wir|du)) (?!.*(?:genannt|bezeichnet|geschrieben|ausgesprochen) )/iu,
  /^comment (?!s['’]|se (?:nomm|prénomm)|(?:nomm|appell|dit|écrit)\p{L}*-|(?:est|sont) (?:appel|nomm)|(?:period|form|section|deadline|character|letter|number|thread|line|box|field|count)s?\b)/iu,
  /^(?:¿ ?)?cómo (?!(?:(?:se|te|os|le) )?(?:llam|denomin|conoc)|de \p{L}|es |son |est[aá]|era|fue)/iu,
  /^come (?!here |there )(?:si(?! chiam)|posso|devo|faccio|funziona|\p{L}+(?:[aei]re|rre|rsi)) /iu,
  /^como (?:se(?! (?:cham|llam|denomin))|posso|devo|funciona|faço|\p{L}{2,}[aei]r) /iu,
  /^hoe (?:werkt|kan|moet|gaat|doe|(?!heet|noem)\p{L}+ (?:ik|je|men|we|u)) /iu,
  /^jak (?:działa|mogę|można|należy|trzeba|powin\p{L}+|\p{L}+ć) /iu,
  /^как (?:работает|можно|нужно|надо|мне|правильно|\p{L}+(?:ть|ти|чь|ться)) /iu,
  /^كيف /u,
];

/** Steps in languages without spaces, and Korean. */
const STEPS_INSIDE =
  /怎么(?!样|回事|称呼)|怎麼(?!樣|回事|稱呼)|怎[样樣](?!的| )|如何(?!称呼|稱呼)|どうやって|どのように(?!な|呼ば)|どうすれば|(?:方法|手順|やり方)(?:は|を教)|어떻게 (?!되|돼|불리|부르)|(?:방법|절차)(?:은|을|는|를) /u;

const SEVERAL: readonly RegExp[] = [
  /^welche (?:(?:\p{L}+ ){1,3}(?:sind|gibt es|gehören|müssen|dürfen|können|sollen|werden)|\p{L}+en (?:brauche|braucht|benötig\p{L}+|muss|darf|kann|soll)) /iu,
  /^(?:was (?:sind die|(?:brauche|benötige|muss|soll|braucht|benötigt) (?:ich|man|wir))|(?:nenne|liste) (?:alle|die)) /iu,
  /^(?:quel(?:le)?s |de quoi (?:ai-je|a-t-on) besoin|que faut-il |(?:citez|énumérez|listez) )/iu,
  /^(?:¿ ?)?(?:cuáles (?:son|puedo|debo)|qué \p{L}{2,}[aeo]s (?:son|hay|necesito|puedo|debo|tengo|incluye|hacen)|qué (?:necesito|se necesita|hace falta)|enumera) /iu,
  /^(?:quali|(?:che )?cosa (?:mi )?(?:serve|occorre)|elenca) /iu,
  /^(?:quais|(?:d?o|de) que (?:preciso|é preciso|é necessário|se precisa)|enumere) /iu,
  /^(?:welke \p{L}+en (?:zijn|heb|moet|moeten|kan|kun|kunnen|mag|mogen|worden)|wat (?:heb ik|heb je|zijn de)|noem (?:alle|de)) /iu,
  /^(?:jakie są|jakie (?:\p{L}+ ){1,3}są|jakie \p{L}+(?:y|ki|gi) (?:mam|muszę|należy|można|trzeba)|czego potrzebuj\p{L}+|co (?:jest )?potrzebn\p{L}+|wymień) /iu,
  /^(?:какие|перечисли\p{L}*|что (?:мне )?(?:нужно|понадобится|необходимо|входит)) /iu,
  /^(?:ما (?:هي )?ال\p{L}+ات|اذكر) /u,
];

/** Several things in languages without spaces, and Korean. */
const SEVERAL_INSIDE =
  /哪些|列出|列[举舉]|需要(?:准备|準備)?什[么麼]|(?:何|なに)が(?:必要|要)|(?:材料|道具|条件|書類|持ち物)は(?:何|なん)|ど(?:んな|のような)[^。]{1,40}がありますか|すべて(?:挙げ|教え)|(?:무엇|뭐|뭘)(?:이|가|을)? (?:필요|준비)|(?:재료|준비물|서류|조건|단계)(?:는|은|가|이) (?:무엇|뭐)|모두 (?:나열|말)/u;

const REASONS: readonly RegExp[] = [
  /^(?:warum|wieso|weshalb|erkläre?|beschreibe?) /iu,
  /^(?:pourquoi|expliquez|décri[st]) /iu,
  /^(?:¿ ?)?(?:por qué|cómo|explica|describe) (?!(?:se (?:llam|denomin|conoc)|importe|cantidad|valor|precio|periodo|período))/iu,
  /^(?:perch[eé]|spiega) /iu,
  /^(?:por que|porqu[eê]) (?!(?:valor|preço|período|quantia) )/iu,
  /^(?:waarom|leg uit) /iu,
  /^(?:dlaczego|czemu|wyjaśnij|opisz) /iu,
  /^(?:почему|зачем|объясни) /iu,
  /^لماذا /u,
];

/** Reasons in languages without spaces, and Korean. */
const REASONS_INSIDE = /为什么|為什麼|为何|為何|怎么回事|怎麼回事|なぜ|どうして|(?:^| )왜 /u;

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
  /^هل /u,
];
/** Russian. */
const PARTICLE = / ли /iu;
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

/** First words that begin questions in none of these languages. */
const ENGLISH = /^(?:who|whom|whose|what|when|where|which|why|how) /i;

/**
 * True if one of the patterns, all of which are about the first word, matches. For most English questions none is
 * tried: compiling them all takes longer than a question.
 */
const anyOf = (patterns: readonly RegExp[], text: string): boolean =>
  !ENGLISH.test(text) && patterns.some((pattern) => pattern.test(text));

/** Words separated by single spaces, with one space at the end instead of a question mark; without quoted titles. */
function words(question: string): string {
  const text = question.replace(QUOTED, " ").replace(/[?？。؟]/gu, " ");
  return `${text.trim().replace(/\s+/gu, " ")} `;
}

/** True for a question that is not English, although its first word is spelled as an English verb. */
export function isFalseFriend(question: string): boolean {
  return anyOf(FALSE_FRIENDS, words(question));
}

/** True for "Wie entleere ich …?", "Comment …?", "如何…？"; not for "Wie heißt …?", or where a name is asked for too. */
export function asksForSteps(question: string): boolean {
  const text = words(question);
  return anyOf(STEPS, text) || (STEPS_INSIDE.test(text) && !CHINESE_WORDS.test(text));
}

/** True for "Welche Zutaten brauche ich?", "Quels sont …?", "有哪些…？" */
export function asksForSeveral(question: string): boolean {
  const text = words(question);
  return anyOf(SEVERAL, text) || SEVERAL_INSIDE.test(text);
}

/** True for a question whose answer is a sentence: "Warum …?", "Darf ich …?", "…吗？" */
export function asksForSentence(question: string): boolean {
  const text = words(question);
  if (anyOf(REASONS, text) || anyOf(YES_OR_NO, text) || PARTICLE.test(text)) return true;
  if (CHINESE_WORDS.test(text)) return false;
  if (REASONS_INSIDE.test(text) || CHINESE_YES_OR_NO.test(text)) return true;
  if (JAPANESE_QUESTION.test(text)) return !JAPANESE_WORDS.test(text);
  return KOREAN_QUESTION.test(text) && !KOREAN_WORDS.test(text);
}
