/**
 * Frequent function words, by which running text in an alphabetic script shows its language. A word
 * that several lists have counts for each of them in part.
 */

/** Languages in Latin script that a caller can be given. */
export const LATIN_WORDS = {
  en: "the of and to in is that for it was on are as with be at by this have from or not they which you he his we an their has were been but had can will would there if when what all do than so about into its only who these your should may after how any",
  de: "der die und das ist in den von zu mit sich des auf für nicht ein eine dem im als auch es an werden aus er hat dass sie nach bei wird um am sind noch wie einem einer über einen so zum war haben nur oder aber vor zur bis mehr durch man dann wenn ich wir kann ihr ihre keine sein sowie beim muss unter wurde wir diese dieser alle bitte sehr",
  fr: "de la le les et des en un une du dans est que pour qui par sur au plus pas ne se ce il sont avec ou aux cette son être sa ses mais comme nous vous été elle leur ont fait même ces ils aussi je où entre sans on peut deux après dont très tout était lui bien chez depuis avant votre notre",
  es: "de la que el en y a los del se las por un para con no una su al lo como más es pero sus le ha me o sin sobre este ya entre cuando todo esta ser son dos también fue había era muy años hasta desde está mi porque qué sólo han yo hay vez puede todos así nos ni parte tiene uno donde bien tiempo ella usted nuestro cada",
  it: "di e che la il un a è per una in del non si con i da le al sono ma della dei come più lo gli nel alla anche se su o ha ho delle dal questo questa ci suo sua stato era nella tra essere quando dopo molto fu cui sul loro hanno perché solo dalla degli alle mi chi prima fatto così tutti due ogni viene possono deve",
  pt: "de a o que e do da em um para é com não uma os no se na por mais as dos como mas foi ao ele das tem à seu sua ou ser quando muito há nos já está eu também só pelo pela até isso ela entre era depois sem mesmo aos ter seus quem nas me esse eles estão você tinha foram essa num nem suas às minha têm numa são pode cada",
  nl: "de van het een en in is dat op te zijn met voor niet die er aan ook als om hij bij maar door naar dan was worden uit nog wel kan over werd heeft deze tot of ze hebben meer zo moet wordt geen we dit hun zich al haar wat jaar tussen onder na waar veel toen tegen ik u je mijn uw alle andere moeten kunnen",
  pl: "i w z na do nie się to że jest o a jak ale po co od za przez dla przy są jego jej tak czy być ten tym oraz lub może już tylko ich było był który która które go pod może bez przed między także ze tego tej by jako gdy roku kiedy została został mnie pan pani będzie można można należy",
} as const;

/** Languages in Cyrillic script. */
export const CYRILLIC_WORDS = {
  ru: "и в не на что с по как это из для он к все но а же от так за его или о она мы они если было был чтобы при их то уже вы только когда быть может до бы ещё еще мне который которая после этого году также есть нет",
} as const;

/** Other languages in these scripts, so that they are not taken for a neighbour. */
export const OTHER_WORDS = {
  sv: "och att det i på som är av för med den till en inte om har de ett var jag kan vi han men så från vid eller när sig efter också skulle hade blev mycket detta alla där måste",
  da: "og i at det er en til på som af for med den de ikke der et har var jeg vi kan han men fra ved om eller når efter også skulle havde blev meget dette alle hvor efter skal være",
  no: "og i det er på som en av til for med at den har de ikke et om var jeg vi kan han men fra ved eller når seg etter også skulle hadde ble mye dette alle hvor må være",
  fi: "ja on ei että se oli hän mutta ovat kun niin myös joka tai kuin voi olla sen ole vain jos mukaan sitä ennen vuonna jälkeen kanssa sekä",
  cs: "a v se na je že s z do to o i k ve pro za by ale si po jako od jsem být jeho jsou nebo které který která byl byla bylo při také není jak může roku až aby",
  sk: "a v sa na je že s z do to o i k vo pre za by ale si po ako od som byť jeho sú alebo ktoré ktorý ktorá bol bola bolo pri tiež nie môže roku až aby",
  ro: "și de în a la cu pe nu că este un o din care mai pentru se prin sau al ale fost sunt lui au fi dar ca după până între această acest sale",
  hu: "a az és hogy nem is egy van meg volt de ez csak már el ha mint vagy még kell lehet után között pedig szerint ezt azt minden",
  tr: "ve bir bu da de için ile olarak çok daha gibi ne var olan o ama sonra kadar en her ya değil göre ki mi yok tarafından olduğu",
  ca: "de la i el que a en els les un una per amb del és no al es dels com més va ser són o seva aquest aquesta però també fins entre molt",
  hr: "i je u na se da za su od s a što ne koji kao iz o to koja biti bio ili će nije ali kako sve samo može prema nakon",
  id: "yang dan di dari dengan untuk ini pada dalam itu tidak adalah ke akan juga oleh sebagai atau ada telah karena dapat bahwa mereka",
  vi: "và của là có trong được các cho một không với những người này đã để khi từ về như tại đến ra nhiều năm",
  uk: "і в не на що з та до це як за від для у він по але або його було був при їх також які яка який є про те",
  bg: "и на за да се от в е с не по са като до че към през или при бе беше които който която това след те още може",
  sr: "и у је на се да за су од са а што не који као из о то која бити био или ће није али како све само",
} as const;
