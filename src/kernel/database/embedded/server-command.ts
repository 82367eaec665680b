import { platform } from 'node:process'
import type { Cluster } from './cluster.ts'

export type Settings = Readonly<Record<string, string>>

const defaults: Settings = {
  max_connections: '100',
  shared_buffers: '128MB',
  fsync: 'on',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_destination: 'stderr',
  logging_collector: 'off',
  // After a crash one call brings everything to the disk, where file by file takes seconds; only Linux has it.
  ...(platform === 'linux' && { recovery_init_sync_method: 'syncfs' }),
}

/** The longest path of a socket that every system takes. */
const longestPath = 100

/**
 * Where the server listens beside its port, or nothing: in the cluster itself, which nobody else can enter. A question and its answer cost
 * a fifth less over a socket than over a port.
 */
export function socketFolder(cluster: string): string {
  const fits = Buffer.byteLength(`${cluster}/.s.PGSQL.65535`) <= longestPath
  return platform !== 'win32' && fits && !/[,"]/.test(cluster) ? cluster : ''
}

/** Every setting goes on the command line, so the files of the cluster stay as initdb wrote them. */
export function serverCommand(cluster: Cluster, port: number, settings: Settings): [program: string, args: string[]] {
  // Reachable from this machine only, whatever the settings say.
  const sockets = { unix_socket_directories: socketFolder(cluster.folder), unix_socket_permissions: '0700' }
  const place = { listen_addresses: '127.0.0.1', ...sockets, port: String(port) }
  const all = Object.entries({ ...defaults, ...settings, ...place })
  return [
    cluster.binaries.postgres,
    ['-D', cluster.folder, ...all.flatMap(([name, value]) => ['-c', `${name}=${value}`])],
  ]
}
