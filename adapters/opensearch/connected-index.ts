/** An index in a cluster, found: the connection, its name there, and what it says of itself. */

import type { Connection } from "./connection.js";
import type { ClusterMeta } from "./mapping.js";

export interface Place {
  connection: Connection;
  index: string;
  meta: ClusterMeta;
}
