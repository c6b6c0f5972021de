import { describe, expect, it } from "vitest";
import { detectLanguage } from "./language.js";

/** Sentences that were written for this test. */
const SENTENCES = {
  en: "The boiler was replaced in March, and the plumber left the old one behind the shed for us to collect.",
  de: "Der Heizkessel wurde im März ersetzt, und der Klempner hat den alten für uns hinter dem Schuppen abgestellt.",
  fr: "La chaudière a été remplacée en mars, et le plombier a laissé l'ancienne derrière la remise pour nous.",
  es: "La caldera se cambió en marzo y el fontanero dejó la vieja detrás del cobertizo para que la recogiéramos.",
  it: "La caldaia è stata sostituita a marzo e l'idraulico ha lasciato quella vecchia dietro il capanno per noi.",
  pt: "A caldeira foi trocada em março, e o encanador deixou a antiga atrás do galpão para que nós a buscássemos.",
  nl: "De ketel is in maart vervangen en de loodgieter heeft de oude voor ons achter de schuur laten staan.",
  pl: "Kocioł został wymieniony w marcu, a hydraulik zostawił stary za szopą, żebyśmy mogli go odebrać.",
  ru: "Котёл заменили в марте, и сантехник оставил старый за сараем, чтобы мы могли его забрать.",
  zh: "锅炉在三月份更换了，水管工把旧的留在棚子后面让我们去取。",
  ja: "ボイラーは三月に交換され、配管工は古いものを小屋の後ろに置いていきました。",
  ko: "보일러는 삼월에 교체되었고 배관공은 낡은 것을 창고 뒤에 두고 갔습니다.",
  ar: "استبدلنا المرجل في شهر مارس وترك السباك القديم خلف السقيفة لكي نأخذه.",
} as const;

const OTHERS = {
  Swedish: "Pannan byttes ut i mars, och rörmokaren lämnade den gamla bakom skjulet så att vi kunde hämta den.",
  Danish: "Kedlen blev skiftet i marts, og blikkenslageren efterlod den gamle bag skuret, så vi kunne hente den.",
  Czech: "Kotel byl v březnu vyměněn a instalatér nechal ten starý za kůlnou, abychom si ho mohli vzít.",
  Romanian: "Cazanul a fost înlocuit în martie, iar instalatorul a lăsat cazanul vechi în spatele magaziei pentru noi.",
  Turkish:
    "Kazan mart ayında değiştirildi ve tesisatçı eski kazanı bizim için kulübenin arkasına bıraktı. Bu bir hata değil, çok daha iyi.",
  Ukrainian: "Котел замінили у березні, і сантехнік залишив старий за сараєм, щоб ми могли його забрати.",
  Bulgarian: "Котелът беше сменен през март и водопроводчикът остави стария зад бараката, за да го вземем.",
  Greek: "Ο λέβητας αντικαταστάθηκε τον Μάρτιο και ο υδραυλικός άφησε τον παλιό πίσω από την αποθήκη.",
  Hebrew: "הדוד הוחלף בחודש מרץ והשרברב השאיר את הישן מאחורי המחסן כדי שניקח אותו.",
  Hindi: "बॉयलर मार्च में बदला गया और प्लंबर पुराना वाला शेड के पीछे छोड़ गया।",
  Thai: "หม้อไอน้ำถูกเปลี่ยนในเดือนมีนาคม และช่างประปาทิ้งของเก่าไว้หลังโรงเก็บของ",
  Persian: "دیگ بخار در ماه مارس عوض شد و لوله‌کش دیگ کهنه را پشت انباری گذاشت تا ما برداریم.",
};

describe("the language of a text", () => {
  it.each(Object.entries(SENTENCES))("is found from one sentence: %s", (language, sentence) => {
    expect(detectLanguage(sentence)).toBe(language);
  });

  it.each(Object.entries(OTHERS))("is another one: %s", (_, sentence) => {
    expect(detectLanguage(sentence)).toBe("other");
  });

  it("is that of most of the text", () => {
    const { de, en, zh } = SENTENCES;
    expect(detectLanguage([de, de, de, en].join(" "))).toBe("de");
    expect(detectLanguage([en, en, en, de].join(" "))).toBe("en");
    expect(detectLanguage(`${zh} Linux 6.1 (SMP PREEMPT_DYNAMIC)`)).toBe("zh");
    expect(detectLanguage(SENTENCES.ja.replace("ボイラー", "锅炉"))).toBe("ja");
  });

  it("does not depend on where in a long text it is", () => {
    const header = "From: a@example.org\nX-Id: 0123456789\n".repeat(40);
    expect(detectLanguage(header + `${SENTENCES.pl} `.repeat(200))).toBe("pl");
    expect(detectLanguage(`${SENTENCES.fr} `.repeat(5000))).toBe("fr");
  });

  it.each([
    ["nothing", ""],
    ["numbers", "2024-03-01;17,50;18,20;3\n2024-03-02;16,10;18,00;4"],
    ["a few words", "Offenbach 2019"],
    ["names", "Müller, Grün, Łukasz, García, Çelik, Sørensen, Nguyễn, Dvořák"],
    ["an address", "Gänsemarkt 12, 20354 Hamburg, Tel. 040 123456"],
    ["white space", " \n\t".repeat(3000)],
    ["half a surrogate pair", "\ud83d".repeat(50)],
  ])("is unknown: %s", (_, text) => {
    expect(detectLanguage(text)).toBeUndefined();
  });

  it.each([
    [
      "TypeScript",
      "export const des = (in_: number, el: El): void => { for (const i of die.la) if (i in el) un(i, de); };",
    ],
    [
      "minified",
      '!function(e,t){"object"==typeof exports?t(e,i,o,a):e.d3=t()}(this,function(e,o,i,a,u){var y=e,o=i;return e.a=o,e.i=a})',
    ],
    ["C", "int main(void) { for (int i = 0; i < n; i++) { sum += a[i] * e[i]; } return sum; }"],
    ["a log", "Mar 01 12:00:00 host sshd[1]: Accepted publickey for de from 10.0.0.1 port 22 ssh2: RSA SHA256:xyz"],
    [
      "JSON",
      '{"id": 1, "locale": "de", "labels": {"en": "yes", "de": "ja", "es": "si"}, "size": [1, 2], "parent": null}',
    ],
    [
      "comments in English",
      "// returns the row that is nearest to the query\nreturn rows[nearest(query, { of: rows, by: distance })];",
    ],
  ])("of code is English or unknown: %s", (_, code) => {
    expect(["en", undefined]).toContain(detectLanguage(code));
  });
});
