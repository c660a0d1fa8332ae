import type { Cluster } from './cluster.ts'

export type ServerParameters = Record<string, string | number>

/** Settings on the server's command line: they override the cluster's own file, so no edit there disables durability. */
export function parametersFor(cluster: Cluster, extra: ServerParameters): ServerParameters {
  return {
    ...common,
    ...(cluster.binaries.major >= 18 && since18),
    ...(cluster.disposable ? WITHOUT_DURABILITY : durable),
    ...extra,
    ...placeOf(cluster),
  }
}

const durable: ServerParameters = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' }

/** A crash of the machine can damage the cluster. */
const WITHOUT_DURABILITY: ServerParameters = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
}

const common: ServerParameters = {
  max_connections: 120,
  shared_buffers: '64MB',
  max_wal_size: '512MB',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  cluster_name: 'bundle-console',
  // Failed statements are their caller's concern, and their text and details may contain secrets.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
  log_line_prefix: '',
}

// I/O workers (since 18) would be idle processes in a database of this size.
const since18: ServerParameters = { io_method: 'sync' }

function placeOf({ tcp, runDirectory }: Cluster): ServerParameters {
  if (tcp) return { listen_addresses: '127.0.0.1', port: tcp.port, unix_socket_directories: '' }
  return {
    listen_addresses: '',
    port: 5432,
    unix_socket_directories: runDirectory,
    unix_socket_permissions: '0700',
  }
}
