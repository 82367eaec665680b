import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { randomness } from '../../../../tests/support/randomness.ts'
import { contentsOf, type Fault, type HostileFile, mixedFiles } from './hostile-files.fixture.ts'
import { answerGet, answerHead, type Range, versionHeaders } from './hostile-response.fixture.ts'

export interface HostileOptions {
  port?: number
  seed: number
  /** A number of files of all kinds, or exactly these. */
  files: number | readonly HostileFile[]
  /** Share of failing GETs. */
  chunkFailures: number
  /** Maximum size if only a number is given; 1 MiB by default. */
  largest?: number
}

/** How often a range was requested, and how often it was sent completely. */
export interface RangeRequests {
  times: number
  served: number
}

export interface HostileServer {
  url: string
  files: readonly HostileFile[]
  fileUrl(n: number): string
  /** Of the last requested version. */
  sha256(n: number): string
  /** By `first-last`, or `whole`. */
  requests(n: number): Map<string, RangeRequests>
  close(): Promise<void>
}

/** A file server with every common fault, deterministic for seed and requests. */
export async function startHostileServer(options: HostileOptions): Promise<HostileServer> {
  const { seed, chunkFailures, port = 0, largest = 2 ** 20 } = options
  const files = typeof options.files === 'number' ? mixedFiles(seed, options.files, largest) : options.files
  const contents = contentsOf(seed, files)
  const states = files.map((file, n) => ({
    file,
    n,
    gets: 0,
    requests: new Map<string, RangeRequests>(),
    chance: randomness(seed + n),
  }))

  const respond = (request: IncomingMessage, response: ServerResponse) => {
    const [, number = '', hops = ''] = /^\/file-(\d+)\.png(?:\?hop=(\d+))?$/.exec(request.url ?? '') ?? []
    const state = states[Number(number)]
    if (state === undefined || number === '' || state.file.manner === 'missing') return response.writeHead(404).end()
    const { file, n } = state
    const redirectCounts = { redirect: 3, 'redirect-loop': Number.POSITIVE_INFINITY }[file.manner as string] ?? 0
    if (Number(hops) < redirectCounts) {
      return response.writeHead(302, { location: `/file-${n}.png?hop=${Number(hops) + 1}` }).end()
    }
    if (request.method === 'HEAD') return answerHead(response, { ...state, contents, version: versionOf(state) })
    state.gets += 1
    const version = versionOf(state)
    const range = readRange(request, file, n, version)
    const requests = countedIn(state.requests, range)
    const fault = chooseFault(state, chunkFailures)
    response.once('finish', () => {
      if (fault === undefined) requests.served += 1
    })
    return answerGet(response, { ...state, contents, version, range, fault })
  }

  const server = createServer(respond)
  server.on('connection', (socket) => socket.on('error', () => {}))
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    files,
    fileUrl: (n) => `${url}/file-${n}.png`,
    sha256: (n) => contents.sha256(n, versionOf(states[n] as State)),
    requests: (n) => states[n]?.requests ?? new Map(),
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

interface State {
  file: HostileFile
  n: number
  gets: number
  requests: Map<string, RangeRequests>
  chance: () => number
}

function versionOf({ file, gets }: State): number {
  if (file.manner === 'restless') return gets
  return file.manner === 'changing' && gets > 2 ? 1 : 0
}

/** Undefined if the whole file is to be sent, also because of a validator mismatch. */
function readRange({ headers }: IncomingMessage, file: HostileFile, n: number, version: number): Range | undefined {
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? []
  if (first === undefined || file.manner === 'no-ranges' || file.manner === 'endless') return undefined
  const known = headers['if-range']
  if (known !== undefined && !Object.values(versionHeaders(file, n, version)).includes(String(known))) return undefined
  return { first: Number(first), last: Math.min(Number(last), file.size - 1) }
}

function countedIn(counts: Map<string, RangeRequests>, range: Range | undefined): RangeRequests {
  const key = range ? `${range.first}-${range.last}` : 'whole'
  const requests = counts.get(key) ?? { times: 0, served: 0 }
  counts.set(key, requests)
  requests.times += 1
  return requests
}

function chooseFault({ file, chance }: State, chunkFailures: number): Fault | undefined {
  const { failures = chunkFailures, faults = allFaults } = file
  return chance() < failures ? faults[Math.floor(chance() * faults.length)] : undefined
}

const allFaults: readonly Fault[] = ['error', 'reset', 'short', 'long', 'wrong-range', 'whole', 'drip']
