/** Languages of questions and answers that the evaluations know. */
export const ANSWER_LANGUAGES = ["en", "de", "fr", "es", "it", "pt", "nl", "pl", "ru", "zh", "ja", "ko", "ar"] as const;
