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
        /** Ask one question or a batch. With Accept: text/event-stream, the best answer so far and then the final one. */
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
        /** Ask with the parts of each score, the n-grams that raised it, and the passage. */
        post: operations["post_v1_explain"];
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
        /** List the documents, a page at a time. */
        get: operations["get_v1_documents"];
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
        /** The text of a document, or a stretch of it, as text: never as the file that it came from. */
        get: operations["get_v1_documents_id"];
        /** Put a document in, in the place of one of the same name. */
        put: operations["put_v1_documents_id"];
        post?: never;
        /** Take a document out of the index. No file is touched. */
        delete: operations["delete_v1_documents_id"];
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
        /** Send a file (text, Markdown, HTML, PDF, DOCX, EPUB, CSV, JSONL) to be read and taken in. */
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
        /** How far a change is. */
        get: operations["get_v1_jobs_id"];
        put?: never;
        post?: never;
        /** Cancel a change. What it has completed stays in the index; served paths are not followed any more. */
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
        /** What is served, what the caller may do, and what is being taken in. */
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
        /** The process lives. */
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
        /** Figures in the text format of Prometheus. */
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
            /** @description A batch, in place of `question`. */
            questions?: string[];
            /** @description Answers wanted; default 5. */
            topK?: number;
            /**
             * @description How candidates are found; default hybrid, or lexical for an index of that level.
             * @enum {string}
             */
            strategy?: "hybrid" | "sparse-first" | "dense-first" | "exhaustive" | "sparta-reader" | "lexical";
            /** @description Only documents that pass, as `year >= 2020`. */
            where?: string;
            maxAnswerTokens?: number;
            /** @description Rather no answer than one less sure; default: the server's, else the model's threshold. 0 always answers. */
            minConfidence?: number;
            /**
             * @description on: a second network reads the best passages; auto: only when unsure. Default: the server's.
             * @enum {string}
             */
            reader?: "off" | "auto" | "on";
            /** @description With the parts of each score. */
            explain?: boolean;
            /** @description Fails unless the index is at it or newer. */
            atLeastVersion?: number;
        };
        Explain: {
            question: string;
            /** @description Answers wanted; default 5. */
            topK?: number;
            /**
             * @description How candidates are found; default hybrid, or lexical for an index of that level.
             * @enum {string}
             */
            strategy?: "hybrid" | "sparse-first" | "dense-first" | "exhaustive" | "sparta-reader" | "lexical";
            /** @description Only documents that pass, as `year >= 2020`. */
            where?: string;
            maxAnswerTokens?: number;
            /** @description Rather no answer than one less sure; default: the server's, else the model's threshold. 0 always answers. */
            minConfidence?: number;
            /**
             * @description on: a second network reads the best passages; auto: only when unsure. Default: the server's.
             * @enum {string}
             */
            reader?: "off" | "auto" | "on";
            /** @description With the parts of each score. */
            explain?: boolean;
            /** @description Fails unless the index is at it or newer. */
            atLeastVersion?: number;
        };
        Result: {
            question: string;
            strategy: string;
            /**
             * @description How much of each passage the index keeps; mixed while it is being raised.
             * @enum {string}
             */
            level: "lexical" | "thin" | "full" | "mixed";
            /**
             * @description sentences: whole ones, found by their words alone (level lexical).
             * @enum {string}
             */
            kind: "spans" | "sentences";
            /** @description Passages encoded to answer, where the index does not keep their vectors. */
            encodedPassages?: number;
            /**
             * @description Words left it open, and the index (in a cluster, made without them) has no vectors to ask.
             * @constant
             */
            withoutVectors?: true;
            tookMs: number;
            /** @description Version of the index that answered. */
            version: number;
            answers: {
                /** @description The exact words of the document. */
                text: string;
                /** @description Comparable between answers to one question; not a probability. */
                score: number;
                documentId: string;
                title: string;
                source: string;
                /** @description UTF-16 units of the document's text; the end is exclusive. */
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
                /** @description The sentence around. */
                context: string;
                contextStart: number;
                contextEnd: number;
                /** @description Probability that it is right, where the model was calibrated. */
                confidence?: number;
                /** @description Fields, as filters see them. */
                metadata: {
                    [key: string]: string | number | boolean | string[];
                };
                /** @description Other places of the same answer. */
                evidence: {
                    /** @description Comparable between answers to one question; not a probability. */
                    score: number;
                    documentId: string;
                    title: string;
                    source: string;
                    /** @description UTF-16 units of the document's text; the end is exclusive. */
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
                /** @description They sum to the score. */
                parts?: {
                    dense: number;
                    ngram: number;
                    terms: number;
                    tfidf: number;
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
                /** @description With /v1/explain: the passage that was scored. */
                passage?: {
                    start: number;
                    end: number;
                    text: string;
                };
            }[];
            /** @description Only where the reader has read. */
            reading?: {
                passages: number;
                /**
                 * @description Absent while more will be read.
                 * @enum {string}
                 */
                ended?: "all" | "early" | "budget";
                milliseconds: number;
            };
            /** @description The best answer was not sure enough, so that `answers` is empty. */
            noAnswer?: {
                confidence: number;
                minConfidence: number;
            };
            /** @description Only with `noAnswer`: the best passages. */
            nearestPassages?: {
                /** @description The exact words of the document. */
                text: string;
                /** @description Comparable between answers to one question; not a probability. */
                score: number;
                documentId: string;
                title: string;
                source: string;
                /** @description UTF-16 units of the document's text; the end is exclusive. */
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
                /** @description The sentence around. */
                context: string;
                contextStart: number;
                contextEnd: number;
                /** @description Probability that it is right, where the model was calibrated. */
                confidence?: number;
                /** @description Fields, as filters see them. */
                metadata: {
                    [key: string]: string | number | boolean | string[];
                };
                /** @description Other places of the same answer. */
                evidence: {
                    /** @description Comparable between answers to one question; not a probability. */
                    score: number;
                    documentId: string;
                    title: string;
                    source: string;
                    /** @description UTF-16 units of the document's text; the end is exclusive. */
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
                /** @description They sum to the score. */
                parts?: {
                    dense: number;
                    ngram: number;
                    terms: number;
                    tfidf: number;
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
                /** @description With /v1/explain: the passage that was scored. */
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
        PutDocument: {
            text: string;
            /** @description Default: the id. */
            title?: string;
            /** @description Shown with answers; default: the id. */
            source?: string;
            /** @description Fields, as filters see them. */
            metadata?: {
                [key: string]: string | number | boolean | string[];
            };
        };
        /** @description Name of the document: a path relative to the roots, or whatever it was put under. */
        DocumentId: string;
        Listed: {
            id: string;
            title: string;
            source: string;
            length: number;
            passages: number;
            /** @description Fields, as filters see them. */
            metadata: {
                [key: string]: string | number | boolean | string[];
            };
        };
        Documents: {
            documents: components["schemas"]["Listed"][];
            total: number;
            /** @description `after` of the next page; absent on the last. */
            next?: string;
        };
        DocumentText: {
            id: string;
            title: string;
            source: string;
            length: number;
            passages: number;
            /** @description Fields, as filters see them. */
            metadata: {
                [key: string]: string | number | boolean | string[];
            };
            from: number;
            to: number;
            text: string;
        };
        Job: {
            id: string;
            /** @enum {string} */
            kind: "paths" | "put" | "upload" | "delete";
            /** @enum {string} */
            state: "waiting" | "running" | "done" | "failed" | "stopped";
            /** @description 0 to 1; null when it cannot be told. */
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
            /** @description The version that has the change, for `atLeastVersion`. */
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
            after?: string;
            contains?: string;
        };
        TextQuery: {
            /** @default 0 */
            from: number;
            to?: number;
        };
        UploadQuery: {
            name: components["schemas"]["DocumentId"];
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
            /** @description A `Result` for `question`, `Results` for `questions`; as events `answers` (so far), `final`, or `problem`, each with one JSON object. */
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
                    /** @description Seconds. */
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
                    /** @description Seconds. */
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
                    /** @description Seconds. */
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
                    /** @description Seconds. */
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
                after?: string;
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
            503: {
                headers: {
                    /** @description Seconds. */
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
                /** @description Name of the document, percent-encoded (a / as %2F). */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The text; offsets of answers refer to it. */
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
            503: {
                headers: {
                    /** @description Seconds. */
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
                /** @description Answer when it is done, or after half a minute. */
                wait?: boolean;
            };
            header?: never;
            path: {
                /** @description Name of the document, percent-encoded (a / as %2F). */
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
            /** @description Done (wait=true). */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description It is on its way; with wait=true (status 200) it is in. */
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
                    /** @description Seconds. */
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
                    /** @description Seconds. */
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
                /** @description Answer when it is done, or after half a minute. */
                wait?: boolean;
            };
            header?: never;
            path: {
                /** @description Name of the document, percent-encoded (a / as %2F). */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done (wait=true). */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description It is on its way; with wait=true (status 200) it is done. */
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
                    /** @description Seconds. */
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
                    /** @description Seconds. */
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
                name: components["schemas"]["DocumentId"];
                /** @description Answer when it is done, or after half a minute. */
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
            /** @description Done (wait=true). */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description It is on its way; with wait=true (status 200) it is in. */
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
                    /** @description Seconds. */
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
                    /** @description Seconds. */
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
                /** @description As PUT, DELETE and uploads returned it. */
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
        };
    };
    delete_v1_jobs_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description As PUT, DELETE and uploads returned it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is being stopped (status 200: it has ended). */
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
            503: {
                headers: {
                    /** @description Seconds. */
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
            /** @description The figures. */
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
        };
    };
}
