import { setTimeout as sleep } from 'node:timers/promises'
import type { Caller } from '../../tests/support/caller.ts'

export type Kind = 'tag' | 'campaign' | 'message' | 'post'

/** A create request of a client, with a unique text. */
export interface CreateRequest {
  kind: Kind
  text: string
  /** Ids in the responses: none without a response, several if repeated responses differ. */
  ids: Set<string>
}

export interface Clients {
  readonly requests: readonly CreateRequest[]
  /** Failed requests by response. */
  readonly failures: Readonly<Record<string, number>>
  /** Reads of confirmed items, and how many returned 404. */
  reads(): { done: number; vanished: number }
  /** Resolves after this many more confirmed requests. */
  waitForConfirmed(more: number): Promise<void>
  /** Whether to write without pauses. */
  setContinuous(on: boolean): void
  /** Resolves when every request is confirmed or given up. */
  end(): Promise<void>
}

const campaignId = '002demo00000001'
/** Real clients give up after some time, with an unknown outcome. */
const retryTimeoutMs = 120_000

const profiles = {
  Twitter: '003-1-1500000000000000501',
  Facebook: '003-1-100200300400501',
  LinkedIn: '003-1-2414183',
}

interface ClientOptions {
  call: Caller
  random: () => number
  count: number
  /** Distinguishes the texts of runs on the same database. */
  run: number
}

/** Clients that write and read: most retry with an Idempotency-Key until they get a response, some send once. */
export function openClients({ call, random, count, run }: ClientOptions): Clients {
  const requests: CreateRequest[] = []
  const failures: Record<string, number> = {}
  const reads = { done: 0, vanished: 0 }
  let isContinuous = false
  let ended = false

  const create = async (kind: Kind, body: (token: string) => object): Promise<string | undefined> => {
    const token = `pg-${run}-${requests.length}-${kind}`
    const request: CreateRequest = { kind, text: token, ids: new Set() }
    requests.push(request)
    const isIdempotent = random() < 0.7
    const headers: Record<string, string> = isIdempotent ? { 'idempotency-key': token } : {}
    const latest = performance.now() + retryTimeoutMs
    do {
      const response = await sendOnce(call, kind, body(token), headers, failures)
      if (response === 'never') return undefined
      if (response !== 'later') {
        request.ids.add(response)
        // Some responses count as lost; the retry must return the same response.
        if (!isIdempotent || random() > 0.1) return response
      } else if (isIdempotent) {
        await sleep(100 + random() * 400)
      }
    } while (isIdempotent && performance.now() < latest)
    return undefined
  }
  const publish = async () => {
    const networks = Object.keys(profiles) as (keyof typeof profiles)[]
    const network = networks[Math.floor(random() * networks.length)] as keyof typeof profiles
    const text = (token: string) => ({ network, campaignId, message: `Out now: ${token}` })
    const messageId = await create('message', text)
    if (messageId) await create('post', () => ({ messageId, credentialIds: profiles[network] }))
  }
  const write = async () => {
    const number = random()
    if (number < 0.4) await create('tag', (tag) => ({ tag }))
    else if (number < 0.6) await create('campaign', (name) => ({ name }))
    else if (number < 0.9) await create('message', (message) => ({ network: 'Twitter', campaignId, message }))
    else await publish()
  }
  const read = async () => {
    const known = requests.filter(({ kind, ids }) => kind === 'tag' && ids.size > 0)
    const [id] = known[Math.floor(random() * known.length)]?.ids ?? []
    if (!id) return sleep(100)
    const found = await call(`GET /tag/${id}`).catch(() => undefined)
    reads.done++
    if (found?.status === 404) reads.vanished++
  }
  const repeat = async (act: () => Promise<void>) => {
    while (!ended) {
      await act()
      if (!isContinuous) await sleep(300 + random() * 600)
    }
  }
  const running = Promise.all([...Array.from({ length: count }, () => repeat(write)), repeat(read), repeat(read)])
  return {
    requests,
    failures,
    reads: () => reads,
    async waitForConfirmed(more) {
      const answered = () => requests.filter(({ ids }) => ids.size > 0).length
      const target = answered() + more
      while (answered() < target) await sleep(50)
    },
    setContinuous(on) {
      isContinuous = on
    },
    async end() {
      ended = true
      await running
    },
  }
}

/** The created id, or whether a retry can succeed. */
async function sendOnce(
  call: Caller,
  kind: Kind,
  body: object,
  headers: Record<string, string>,
  failures: Record<string, number>,
): Promise<string | 'later' | 'never'> {
  try {
    const { status, headers: responseHeaders, json } = await call(`POST /${kind}`, { body, headers })
    const id = json?.[kind[0]?.toUpperCase() + kind.slice(1)]?.Id
    if (status === 200 && typeof id === 'string') return id
    const name = status === 503 && !responseHeaders.has('retry-after') ? '503 without Retry-After' : String(status)
    failures[name] = (failures[name] ?? 0) + 1
    return status >= 500 || status === 409 ? 'later' : 'never'
  } catch {
    failures['no answer'] = (failures['no answer'] ?? 0) + 1
    return 'later'
  }
}
