/**
 * Imported before ONNX Runtime, for its effect. Since 1.30 its builds for Linux and macOS send usage reports to its maker and keep
 * a device id and a database in the user's cache folder, unless this variable is set when the library is loaded. The library reads
 * the process's environment, which only the main thread can set: a thread of Node has a copy. So encoder.ts, in the thread that
 * opens the encoder, imports this too. Who opens an encoder in a worker thread sets the variable for the whole process.
 */
process.env.ORT_DISABLE_TELEMETRY = "1";
