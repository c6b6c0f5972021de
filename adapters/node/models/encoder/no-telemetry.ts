/**
 * Imported for its effect, before ONNX Runtime. Since 1.30 its builds for Linux and macOS send
 * usage reports to the vendor, and keep a device id and a database in the user's cache folder,
 * unless this variable is set when the library is loaded. The library reads the environment of the
 * process, which only the main thread can set: worker threads have a copy. So encoder.ts, which
 * runs in the thread that opens the encoder, imports this too. Programs that open an encoder in a
 * worker thread must set the variable for the whole process themselves.
 */
process.env.ORT_DISABLE_TELEMETRY = "1";
