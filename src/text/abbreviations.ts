/** Words before a full stop that usually does not end a sentence. English; case matters. */

const set = (words: string): ReadonlySet<string> => new Set(words.split(" "));

/** Always followed by a name or another word. */
export const NEVER_LAST = set(
  "Mr Mrs Ms Mx Dr Drs Prof Rev Hon Gen Col Maj Capt Cpt Lt Sgt Cpl Cmdr Adm Pvt Gov Sen Rep Pres Supt Msgr Messrs " +
    "Mme Mlle Fr Ven Br Mt Ft vs viz cf e.g i.e eg ie esp incl resp approx ca c v Viz Cf E.g I.e",
);

/** The full stop is inside the sentence if a number follows: "No. 5", "pp. 3–4". */
export const BEFORE_NUMBER = set(
  "No Nos no nos Nr nr Vol Vols vol vols p pp P Pp Art Arts art arts Sec Secs sec Ch Chs ch Chap chap Fig Figs fig figs " +
    "Eq Eqs eq Op op Ex Tab tab Ref ref Par par Bd Pt pt ed Ed fl b d r m Ps",
);

/** May end a sentence, if the next word is one that often begins one. */
export const MAYBE_LAST = set(
  "Inc Ltd Co Cos Corp Plc Bros Jr Sr Esq St Ste Ave Blvd Rd Hwy Sq Bldg Apt Dept Univ Assn Assoc Inst Intl Natl Govt al " +
    "Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue Tues Wed Thu Thur Thurs Fri Sat Sun " +
    "Ala Ariz Ark Calif Colo Conn Del Fla Ga Ill Ind Kan Ky La Md Mass Mich Minn Miss Mo Mont Neb Nev Okla Ore Pa Penn Tenn Tex Va Vt Wash Wis Wyo",
);

/** Abbreviated lower-case words: a lower-case letter after them continues the sentence. */
export const SMALL_ABBREVIATIONS = set(
  "no nos vol vols pp ed eds fl ft lb lbs oz sq est etc dept fig figs esp incl resp max min avg temp ref refs var sp spp " +
    "subsp syn dim pron adj adv cont intl govt assoc approx ca cf vs viz al ibid seq trans rev repr comp hrs hr mins secs " +
    "sec yr yrs mo mos wk wks tel ext misc orig illus pl sing masc fem lit abbr obs dial arch anon pseud ser par chap ch art",
);

/** Words that begin many sentences and few names. */
export const STARTERS = set(
  "The This That These Those There Then They Their He She It Its His Her We Our You Your In On At As After Although An And " +
    "Another Because Before Both But By During Each Even For From Has Have How However If Instead Many Meanwhile More Most " +
    "My No Not Now Of One Only Or Other Several Since So Some Such Their Though Through Thus To Today Two Under Until Unlike " +
    "Was Were What When Where Which While Who Why With Within Yet",
);
