/** An existing index in a cluster: the connection, its name there, and its metadata. */

import type { Connection } from "./connection/connection.js";
import type { ClusterMeta } from "./mapping.js";

export interface ConnectedIndex {
  connection: Connection;
  index: string;
  meta: ClusterMeta;
}
