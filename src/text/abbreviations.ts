/**
 * Words before a full stop that usually does not end a sentence: English, and those of other languages that English
 * text does not end sentences with. Case matters.
 */

const set = (words: string): ReadonlySet<string> => new Set(words.split(" "));

/** Always followed by a name or another word. */
export const NEVER_LAST = set(
  "Mr Mrs Ms Mx Dr Drs Prof Rev Hon Gen Col Maj Capt Cpt Lt Sgt Cpl Cmdr Adm Pvt Gov Sen Rep Pres Supt Msgr Messrs " +
    "Mme Mlle Fr Ven Br Mt Ft vs viz cf e.g i.e eg ie esp incl resp approx ca c v Viz Cf E.g I.e " +
    // German, Dutch
    "Hr Hrn Dipl bzw bspw ggf inkl exkl zzgl abzgl einschl ausschl sog vgl Vgl evtl Bsp mtl monatl jährl tgl " +
    "dhr mevr drs bijv Dhr Mevr Mw " +
    // French, Spanish, Italian, Portuguese
    "MM Mlles Mmes env Sra Srta Dra Uds EE Sig Sigg Dott Avv Geom sig sigg dott avv geom Exmo Exma " +
    // Polish, Russian
    "ul św tzw np tzn tj inż mgr hab dr prof ул им см проф акад просп пер обл тов Св св Проф Акад Ул Им",
);

/** The full stop is inside the sentence if a number follows: "No. 5", "pp. 3–4". */
export const BEFORE_NUMBER = set(
  "No Nos no nos Nr nr Vol Vols vol vols p pp P Pp Art Arts art arts Sec Secs sec Ch Chs ch Chap chap Fig Figs fig figs " +
    "Eq Eqs eq Op op Ex Tab tab Ref ref Par par Bd Pt pt ed Ed fl b d r m Ps " +
    "Abs Ziff Kap Abb Tel tel blz núm Núm pág Pág págs pag pagg godz poz д кв стр рис табл п пп ст гл тел",
);

/** May end a sentence, if the next word is one that often begins one. */
export const MAYBE_LAST = set(
  "Inc Ltd Co Cos Corp Plc Bros Jr Sr Esq St Ste Ave Blvd Rd Hwy Sq Bldg Apt Dept Univ Assn Assoc Inst Intl Natl Govt al " +
    "aprox máx mín " +
    "Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue Tues Wed Thu Thur Thurs Fri Sat Sun " +
    "Ala Ariz Ark Calif Colo Conn Del Fla Ga Ill Ind Kan Ky La Md Mass Mich Minn Miss Mo Mont Neb Nev Okla Ore Pa Penn Tenn Tex Va Vt Wash Wis Wyo",
);

/** German: may end a sentence, if the next word is one of `STARTERS` or `GERMAN_STARTERS`. */
export const GERMAN_MAYBE_LAST = set("Mio Mrd Tsd Str Std Stk Pers Zi");
/** Not in `STARTERS`: some of them are names in other languages ("C. R. Das"). */
export const GERMAN_STARTERS = set(
  "Die Das Es Er Im Am Bei Mit Auf Auch Dort Dann Damit Dafür Davon Ist Sind Wer Wo Wann Bitte Zum Zur Aus Alle Jede Jeder",
);

/**
 * German ordinals: "am 3. Oktober", "im 1. Stock". The full stop after a number of at most two digits is part of it.
 */
export const AFTER_ORDINAL = set(
  "Januar Jänner Februar März Mai Juni Juli Oktober Dezember Jahrhundert Jahrhunderts Stock Stockwerk Obergeschoss Etage " +
    "Klasse Auflage Quartal Halbjahr Lebensjahr Lebensjahres Geburtstag Lebensmonat Absatz Rate Mahnung Advent",
);
/** The same words as in English, if one of these is before the number. */
export const AFTER_GERMAN_ORDINAL = set("April August September November Tag Woche Monat Platz Kapitel Mal");
export const BEFORE_GERMAN_ORDINAL = set(
  "am Am vom Vom zum Zum dem Dem den Den der Der des im Im ab Ab bis Bis seit Seit",
);

/** Abbreviated lower-case words: a lower-case letter after them continues the sentence. */
export const SMALL_ABBREVIATIONS = set(
  "no nos vol vols pp ed eds fl ft lb lbs oz sq est etc dept fig figs esp incl resp max min avg temp ref refs var sp spp " +
    "subsp syn dim pron adj adv cont intl govt assoc approx ca cf vs viz al ibid seq trans rev repr comp hrs hr mins secs " +
    "tys mln mld zł тыс млн млрд руб коп aprox máx mín " +
    "sec yr yrs mo mos wk wks tel ext misc orig illus pl sing masc fem lit abbr obs dial arch anon pseud ser par chap ch art",
);

/** Words that begin many sentences and few names. */
export const STARTERS = set(
  "The This That These Those There Then They Their He She It Its His Her We Our You Your In On At As After Although An And " +
    "Another Because Before Both But By During Each Even For From Has Have How However If Instead Many Meanwhile More Most " +
    "My No Not Now Of One Only Or Other Several Since So Some Such Their Though Through Thus To Today Two Under Until Unlike " +
    "Was Were What When Where Which While Who Why With Within Yet " +
    "Der Ein Eine Wir Sie Für Nach Wenn Dies Diese Dieser Les Une Cette Ces Nous Vous Elle Ils El Los Las Una Esta Este Gli " +
    "Questo Questa Het Een Deze Dit",
);
