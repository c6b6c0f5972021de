/** The bodies and routes of the API. Made from its OpenAPI document by scripts/client-types.ts: not to be changed by hand. */
// biome-ignore-all lint: made by a program
// biome-ignore-all format: made by a program

export interface paths {
    "/v1/ask": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Answer one question or a batch. With Accept: text/event-stream, send the best answer so far, then the final one. */
        post: operations["post_v1_ask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Answer with the parts of each score, the n-grams that raised it, and the passage. */
        post: operations["post_v1_explain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/quote": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Check whether quotations, or all quotations of a draft, are in the documents word for word. */
        post: operations["post_v1_quote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/documents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List documents, a page at a time. */
        get: operations["get_v1_documents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What a start page shows: folders, the newest documents, and questions to begin with. */
        get: operations["get_v1_overview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/documents/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the text of a document or a part of it, at most 262,144 UTF-16 units. */
        get: operations["get_v1_documents_id"];
        /** Add a document, or replace the one with the same id. Ids that begin like those of served files cannot be added. */
        put: operations["put_v1_documents_id"];
        post?: never;
        /** Remove a document from the index. Files do not change. */
        delete: operations["delete_v1_documents_id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/documents/{id}/layout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How a part of a document's text is laid out: the pages of a PDF. */
        get: operations["get_v1_documents_id_layout"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/documents/{id}/original": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The PDF file that a document came from, if it was uploaded or is still in a served folder. */
        get: operations["get_v1_documents_id_original"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/uploads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Add the documents of a file in any format that `verbatim index` reads. */
        post: operations["post_v1_uploads"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The progress of a change. */
        get: operations["get_v1_jobs_id"];
        put?: never;
        post?: never;
        /** Cancel a change. What it has committed stays in the index; paths of the job are no longer followed. */
        delete: operations["delete_v1_jobs_id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What is served, what the caller may do, and what is being indexed. */
        get: operations["get_v1_status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The process is alive. */
        get: operations["get_healthz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Questions can be answered. */
        get: operations["get_readyz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Metrics in the text format of Prometheus. */
        get: operations["get_metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This document. */
        get: operations["get_openapi_json"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Ask: {
            question?: string;
            /** @description A batch, instead of `question`. */
            questions?: string[];
            /** @description Maximum number of answers; default 5. */
            topK?: number;
            /**
             * @description How candidates are found; default hybrid, or lexical for an index of level lexical.
             * @enum {string}
             */
            strategy?: "hybrid" | "sparse-first" | "dense-first" | "exhaustive" | "sparta-reader" | "lexical";
            /** @description Only documents that match this filter, for example `year >= 2020`. */
            where?: string;
            maxAnswerTokens?: number;
            /** @description Minimum confidence; below it, no answer is returned. Default: the server's, else the model's threshold. 0 always answers. */
            minConfidence?: number;
            /**
             * @description on: a second network reads the best passages; auto: only for uncertain answers. Default: the server's.
             * @enum {string}
             */
            reader?: "off" | "auto" | "on";
            /** @description Include the parts of each score. */
            explain?: boolean;
            /** @description Fails unless the index has this version or a newer one. */
            atLeastVersion?: number;
        };
        Explain: {
            question: string;
            /** @description Maximum number of answers; default 5. */
            topK?: number;
            /**
             * @description How candidates are found; default hybrid, or lexical for an index of level lexical.
             * @enum {string}
             */
            strategy?: "hybrid" | "sparse-first" | "dense-first" | "exhaustive" | "sparta-reader" | "lexical";
            /** @description Only documents that match this filter, for example `year >= 2020`. */
            where?: string;
            maxAnswerTokens?: number;
            /** @description Minimum confidence; below it, no answer is returned. Default: the server's, else the model's threshold. 0 always answers. */
            minConfidence?: number;
            /**
             * @description on: a second network reads the best passages; auto: only for uncertain answers. Default: the server's.
             * @enum {string}
             */
            reader?: "off" | "auto" | "on";
            /** @description Include the parts of each score. */
            explain?: boolean;
            /** @description Fails unless the index has this version or a newer one. */
            atLeastVersion?: number;
        };
        Result: {
            question: string;
            /** @description What was searched for, if typing mistakes were corrected or only parts of a long question were read. */
            searchedFor?: string;
            /** @description Present if the question has phrases in quotation marks or -words. */
            restriction?: {
                /** @description The answers' passages contain each of them. */
                phrases: string[];
                /** @description They contain none of these. */
                excluded: string[];
                /** @description Only if no passage is left: the phrases that no passage contains. */
                missing?: string[];
                /** @description Only if not all passages could be searched for frequent words: how many were, best ranked first. */
                searchedPassages?: number;
            };
            strategy: string;
            /**
             * @description How much the index keeps of each passage; mixed during an upgrade.
             * @enum {string}
             */
            level: "lexical" | "thin" | "full" | "mixed";
            /**
             * @description sentences: whole sentences, found by their words alone (level lexical).
             * @enum {string}
             */
            kind: "spans" | "sentences";
            /** @description Passages that were encoded for the question, where the index keeps no vectors. */
            encodedPassages?: number;
            /**
             * @description The index is in a cluster that cannot find passages by vectors: hybrid found them by words only.
             * @constant
             */
            withoutVectors?: true;
            tookMs: number;
            /** @description Version of the index that answered. */
            version: number;
            answers: {
                /** @description The exact text of the document. */
                text: string;
                /** @description Comparable between answers to one question; not a probability. */
                score: number;
                documentId: string;
                title: string;
                source: string;
                /** @description Offset in UTF-16 units of the document's text; the end is exclusive. */
                start: number;
                end: number;
                startByte: number;
                endByte: number;
                startCodePoint: number;
                endCodePoint: number;
                place: {
                    line?: number;
                    page?: number;
                    path?: string;
                };
                /** @description What is shown around the answer: its sentence, list or row. */
                context: string;
                contextStart: number;
                contextEnd: number;
                /**
                 * @description span: `context` is the answer's sentence. Otherwise `context` as a whole is the answer.
                 * @enum {string}
                 */
                shown: "span" | "sentence" | "list" | "row" | "item";
                /** @description With `row`: the first row of the table. Else the sentence that announces the list that the answer is in. */
                header?: {
                    text: string;
                    start: number;
                    end: number;
                };
                /** @description Probability that the answer is right, where the model is calibrated. */
                confidence?: number;
                /** @description The confidence is far below the first answer's: show it on request, as the page does. */
                lessLikely: boolean;
                /** @description Less likely answers in the same context, best first. */
                alternatives: {
                    text: string;
                    start: number;
                    end: number;
                }[];
                /** @description Fields for filters. */
                metadata: {
                    [key: string]: string | number | boolean | string[];
                };
                /** @description Other occurrences of the same answer. */
                evidence: {
                    /** @description Comparable between answers to one question; not a probability. */
                    score: number;
                    documentId: string;
                    title: string;
                    source: string;
                    /** @description Offset in UTF-16 units of the document's text; the end is exclusive. */
                    start: number;
                    end: number;
                    startByte: number;
                    endByte: number;
                    startCodePoint: number;
                    endCodePoint: number;
                    place: {
                        line?: number;
                        page?: number;
                        path?: string;
                    };
                }[];
                /** @description The parts sum to the score. */
                parts?: {
                    dense: number;
                    ngram: number;
                    terms: number;
                    tfidf: number;
                    vector: number;
                    bm25?: number;
                    sentence?: number;
                    reader?: number;
                };
                /** @description The n-grams that raised the score, largest first. */
                ngrams?: {
                    text: string;
                    weight: number;
                    /** @enum {string} */
                    side: "start" | "end";
                }[];
                /** @description Only from /v1/explain: the passage that was scored. */
                passage?: {
                    start: number;
                    end: number;
                    text: string;
                };
            }[];
            /** @description Present if the reader ran. */
            reading?: {
                passages: number;
                /**
                 * @description Why reading ended; absent while it continues.
                 * @enum {string}
                 */
                ended?: "all" | "early" | "budget";
                milliseconds: number;
            };
            /** @description The confidence of the best answer was below the minimum, so `answers` is empty. */
            noAnswer?: {
                confidence: number;
                minConfidence: number;
            };
            /** @description Only with `noAnswer`: the best passages. */
            nearestPassages?: {
                /** @description The exact text of the document. */
                text: string;
                /** @description Comparable between answers to one question; not a probability. */
                score: number;
                documentId: string;
                title: string;
                source: string;
                /** @description Offset in UTF-16 units of the document's text; the end is exclusive. */
                start: number;
                end: number;
                startByte: number;
                endByte: number;
                startCodePoint: number;
                endCodePoint: number;
                place: {
                    line?: number;
                    page?: number;
                    path?: string;
                };
                /** @description What is shown around the answer: its sentence, list or row. */
                context: string;
                contextStart: number;
                contextEnd: number;
                /**
                 * @description span: `context` is the answer's sentence. Otherwise `context` as a whole is the answer.
                 * @enum {string}
                 */
                shown: "span" | "sentence" | "list" | "row" | "item";
                /** @description With `row`: the first row of the table. Else the sentence that announces the list that the answer is in. */
                header?: {
                    text: string;
                    start: number;
                    end: number;
                };
                /** @description Probability that the answer is right, where the model is calibrated. */
                confidence?: number;
                /** @description The confidence is far below the first answer's: show it on request, as the page does. */
                lessLikely: boolean;
                /** @description Less likely answers in the same context, best first. */
                alternatives: {
                    text: string;
                    start: number;
                    end: number;
                }[];
                /** @description Fields for filters. */
                metadata: {
                    [key: string]: string | number | boolean | string[];
                };
                /** @description Other occurrences of the same answer. */
                evidence: {
                    /** @description Comparable between answers to one question; not a probability. */
                    score: number;
                    documentId: string;
                    title: string;
                    source: string;
                    /** @description Offset in UTF-16 units of the document's text; the end is exclusive. */
                    start: number;
                    end: number;
                    startByte: number;
                    endByte: number;
                    startCodePoint: number;
                    endCodePoint: number;
                    place: {
                        line?: number;
                        page?: number;
                        path?: string;
                    };
                }[];
                /** @description The parts sum to the score. */
                parts?: {
                    dense: number;
                    ngram: number;
                    terms: number;
                    tfidf: number;
                    vector: number;
                    bm25?: number;
                    sentence?: number;
                    reader?: number;
                };
                /** @description The n-grams that raised the score, largest first. */
                ngrams?: {
                    text: string;
                    weight: number;
                    /** @enum {string} */
                    side: "start" | "end";
                }[];
                /** @description Only from /v1/explain: the passage that was scored. */
                passage?: {
                    start: number;
                    end: number;
                    text: string;
                };
            }[];
        };
        Results: {
            results: components["schemas"]["Result"][];
        };
        Quote: {
            quotations?: {
                /** @description The words to verify, without the quotation marks around them. */
                text: string;
                /** @description The source that is named for it: a file, an id, a title, or a line with one of them. */
                attributedTo?: string;
                /** @description Searches this document only. */
                documentId?: components["schemas"]["DocumentId"];
            }[];
            /** @description Markdown or plain text, instead of `quotations`: all of its quotations are checked. */
            draft?: string;
        };
        Quoted: {
            /** @description Version of the index that was searched. */
            version: number;
            /** @description Every verdict is exact. */
            exact: boolean;
            quotations: {
                quotation: string;
                /**
                 * @description exact: the same characters. same-words: case, hyphens, ligatures, quotation marks or spaces differ. stitched: the pieces between ellipses are there. misattributed: it is there, but not in the named source. not-found: no document has it.
                 * @enum {string}
                 */
                verdict: "exact" | "same-words" | "stitched" | "misattributed" | "not-found";
                /** @description Where it was found, at most ten; empty for stitched and not-found. */
                places: {
                    documentId: string;
                    title: string;
                    source: string;
                    /** @description Offset in UTF-16 units of the document's text; the end is exclusive. */
                    start: number;
                    end: number;
                    place: {
                        line?: number;
                        page?: number;
                        path?: string;
                    };
                    /** @description The exact text of the document. */
                    text: string;
                    /** @description Only line breaks differ, if anything. */
                    exact: boolean;
                }[];
                pieces?: {
                    text: string;
                    places: {
                        documentId: string;
                        title: string;
                        source: string;
                        /** @description Offset in UTF-16 units of the document's text; the end is exclusive. */
                        start: number;
                        end: number;
                        place: {
                            line?: number;
                            page?: number;
                            path?: string;
                        };
                        /** @description The exact text of the document. */
                        text: string;
                        /** @description Only line breaks differ, if anything. */
                        exact: boolean;
                    }[];
                }[];
                /**
                 * @description Only with `pieces`: the order of the pieces in the documents.
                 * @enum {string}
                 */
                stitch?: "in-order" | "other-order" | "several-documents";
                attribution?: {
                    name: string;
                    /** @description The documents that the name means; none: it is unknown. */
                    documentIds: string[];
                };
                /** @description Only for not-found: NOT the quotation, but the passage most similar to it. */
                nearest?: {
                    documentId: string;
                    title: string;
                    source: string;
                    /** @description Offset in UTF-16 units of the document's text; the end is exclusive. */
                    start: number;
                    end: number;
                    place: {
                        line?: number;
                        page?: number;
                        path?: string;
                    };
                    /** @description The exact text of the document. */
                    text: string;
                    /** @description Share of the quotation's words that it has in this order, 0 to 1. */
                    sharedWords: number;
                    /** @description added: only in the quotation; missing: only in the document. */
                    difference: {
                        /** @enum {string} */
                        kind: "same" | "added" | "missing";
                        text: string;
                    }[];
                };
                /** @description Only for not-found: false if the quotation has too few rare words to search a large index completely. */
                complete?: boolean;
                /** @description Only for a draft: line, from 1, and range in UTF-16 units. */
                line?: number;
                draftStart?: number;
                draftEnd?: number;
            }[];
            /** @description Lines of a draft with a quotation mark that is not closed. */
            unclosed?: number[];
        };
        PutDocument: {
            text: string;
            /** @description Default: the id. */
            title?: string;
            /** @description Shown with answers. Default: the id. */
            source?: string;
            /** @description Fields for filters. Fields that begin with `file.` describe a file, and are dropped. */
            metadata?: {
                [key: string]: string | number | boolean | string[];
            };
        };
        /** @description Id of the document: a path relative to the served folders, or the id that it was added with. */
        DocumentId: string;
        /** @description Id for a new document: a relative name without control characters and `..`. */
        NewDocumentId: string;
        Listed: {
            id: string;
            title: string;
            source: string;
            length: number;
            passages: number;
            /** @description Fields for filters. */
            metadata: {
                [key: string]: string | number | boolean | string[];
            };
        };
        Documents: {
            documents: components["schemas"]["Listed"][];
            total: number;
            /** @description The `after` of the next page; absent on the last page. */
            next?: string;
        };
        Overview: {
            documents: number;
            /** @description The folders with most documents; an empty name for ids without a folder. */
            folders: {
                folder: string;
                documents: number;
            }[];
            /** @description Documents changed last, newest first. */
            newest: components["schemas"]["Listed"][];
            /** @description Questions to begin with, from headings of these documents. */
            questions: string[];
        };
        DocumentText: {
            id: string;
            title: string;
            source: string;
            length: number;
            passages: number;
            /** @description Fields for filters. */
            metadata: {
                [key: string]: string | number | boolean | string[];
            };
            from: number;
            to: number;
            text: string;
        };
        DocumentLayout: {
            /** @description Format of the document, for example text, markdown, pdf or docx. */
            kind: string;
            /** @description GET /v1/documents/{id}/original sends the file that the document came from. */
            original: boolean;
            /** @description Pages of a PDF, counted from 1, with the range of the text that each one gave. */
            pages: {
                page: number;
                start: number;
                end: number;
            }[];
            /** @description Rectangles of the words that were recognised on scanned pages, in percent of the page. */
            boxes: {
                page: number;
                left: number;
                top: number;
                width: number;
                height: number;
            }[];
        };
        Job: {
            id: string;
            /** @enum {string} */
            kind: "paths" | "put" | "upload" | "delete";
            /** @enum {string} */
            state: "waiting" | "running" | "done" | "failed" | "stopped";
            /** @description 0 to 1; null when it is not known. */
            progress: number | null;
            documents: number;
            unchanged: number;
            deleted: number;
            passages: number;
            skipped: {
                source: string;
                reason: string;
                hint?: string;
            }[];
            /** @description What to know about added documents: the model of the index does not read their language. */
            note?: {
                title: string;
                hint: string;
            };
            /** @description The version that contains the change, for `atLeastVersion`. */
            version: number | null;
            error?: {
                code: string;
                title: string;
                hint?: string;
            };
        };
        Status: {
            version: number;
            documents: number;
            passages: number;
            model?: string;
            writable: boolean;
            tokenNeeded: boolean;
            /** @description What the caller may do. */
            scope: ("ask" | "write" | "admin") | null;
            jobs: components["schemas"]["Job"][];
            /** @description Absent on a read-only server, and for callers that may not ask. */
            indexing?: {
                /**
                 * @description Whether changes of the served paths are indexed. interrupted: it is about to be started again.
                 * @enum {string}
                 */
                following: "off" | "catching-up" | "on" | "interrupted";
                /** @description How often the indexing process ended unexpectedly since the server started. */
                restarts: number;
                lastFailure?: {
                    /** @description ISO 8601 time. */
                    at: string;
                    title: string;
                };
            };
        };
        Problem: {
            type: string;
            title: string;
            status: number;
            code: string;
            detail?: string;
            hint?: string;
            where?: string;
            position?: number;
            /** @description Of `index-building`: 0 to 1, null when it is not known. */
            progress?: number | null;
            requestId?: string;
        };
        ListQuery: {
            /** @default 100 */
            limit: number;
            after?: components["schemas"]["DocumentId"];
            contains?: string;
        };
        TextQuery: {
            /** @default 0 */
            from: number;
            to?: number;
        };
        UploadQuery: {
            name: components["schemas"]["NewDocumentId"];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    post_v1_ask: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Ask"];
            };
        };
        responses: {
            /** @description A `Result` for `question`, `Results` for `questions`. As events: `answers` (so far), `final` or `problem`, each with one JSON object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Result"] | components["schemas"]["Results"];
                    "text/event-stream": unknown;
                };
            };
            /** @description A problem document (RFC 9457). */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    post_v1_explain: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Explain"];
            };
        };
        responses: {
            /** @description The answers. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Result"] | components["schemas"]["Results"];
                };
            };
            /** @description A problem document (RFC 9457). */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    post_v1_quote: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Quote"];
            };
        };
        responses: {
            /** @description A verdict for each quotation, in their order. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Quoted"];
                };
            };
            /** @description A problem document (RFC 9457). */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_v1_documents: {
        parameters: {
            query?: {
                limit?: number;
                after?: components["schemas"]["DocumentId"];
                contains?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Documents"];
                };
            };
            /** @description A problem document (RFC 9457). */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_v1_overview: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The overview; empty while there is no index. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Overview"];
                };
            };
            /** @description A problem document (RFC 9457). */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_v1_documents_id: {
        parameters: {
            query?: {
                from?: number;
                to?: number;
            };
            header?: never;
            path: {
                /** @description Id of the document, percent-encoded (a / as %2F). */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The text, to which the offsets of answers refer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentText"];
                };
            };
            /** @description A problem document (RFC 9457). */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    put_v1_documents_id: {
        parameters: {
            query?: {
                /** @description Respond when the job has ended, or after half a minute. */
                wait?: boolean;
            };
            header?: never;
            path: {
                /** @description Id of the document, percent-encoded (a / as %2F). */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PutDocument"];
            };
        };
        responses: {
            /** @description The job has ended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description The change is waiting or running. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description A problem document (RFC 9457). */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_v1_documents_id: {
        parameters: {
            query?: {
                /** @description Respond when the job has ended, or after half a minute. */
                wait?: boolean;
            };
            header?: never;
            path: {
                /** @description Id of the document, percent-encoded (a / as %2F). */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job has ended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description The change is waiting or running. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description A problem document (RFC 9457). */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_v1_documents_id_layout: {
        parameters: {
            query?: {
                from?: number;
                to?: number;
            };
            header?: never;
            path: {
                /** @description Id of the document, percent-encoded (a / as %2F). */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The layout between `from` and `to`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentLayout"];
                };
            };
            /** @description A problem document (RFC 9457). */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_v1_documents_id_original: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the document, percent-encoded (a / as %2F). */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bytes of the file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/pdf": unknown;
                };
            };
            /** @description A problem document (RFC 9457). */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    post_v1_uploads: {
        parameters: {
            query: {
                name: components["schemas"]["NewDocumentId"];
                /** @description Respond when the job has ended, or after half a minute. */
                wait?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The bytes of the file. */
        requestBody: {
            content: {
                "application/octet-stream": unknown;
            };
        };
        responses: {
            /** @description The job has ended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description The change is waiting or running. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description A problem document (RFC 9457). */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_v1_jobs_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the job, as PUT, DELETE and uploads returned it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description A problem document (RFC 9457). */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_v1_jobs_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the job, as PUT, DELETE and uploads returned it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job has ended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description The job is being cancelled. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description A problem document (RFC 9457). */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_v1_status: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The status. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Status"];
                };
            };
            /** @description A problem document (RFC 9457). */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_healthz: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description ok */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": unknown;
                };
            };
            /** @description A problem document (RFC 9457). */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_readyz: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description ready */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": unknown;
                };
            };
            /** @description A problem document (RFC 9457). */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_metrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The metrics. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": unknown;
                };
            };
            /** @description A problem document (RFC 9457). */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_openapi_json: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OpenAPI 3.1. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description A problem document (RFC 9457). */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A problem document (RFC 9457). */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
