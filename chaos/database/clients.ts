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
  answered(more: number): Promise<void>
  /** Whether to write without pauses. */
  hurry(on: boolean): void
  /** Resolves when every request is confirmed or given up. */
  end(): Promise<void>
}

const campaignId = '002demo00000001'
/** Real clients give up after some time, with an unknown outcome. */
const patience = 120_000

const profiles = {
  Twitter: '003-1-1500000000000000501',
  Facebook: '003-1-100200300400501',
  LinkedIn: '003-1-2414183',
}

interface ClientOptions {
  ask: Caller
  random: () => number
  count: number
  /** Distinguishes the texts of runs on the same database. */
  run: number
}

/** Clients that write and read: most retry with an Idempotency-Key until they get a response, some send once. */
export function openClients({ ask, random, count, run }: ClientOptions): Clients {
  const wishes: CreateRequest[] = []
  const setbacks: Record<string, number> = {}
  const reads = { done: 0, vanished: 0 }
  let hurrying = false
  let ended = false

  const make = async (kind: Kind, body: (words: string) => object): Promise<string | undefined> => {
    const words = `pg-${run}-${wishes.length}-${kind}`
    const wish: CreateRequest = { kind, text: words, ids: new Set() }
    wishes.push(wish)
    const keyed = random() < 0.7
    const headers: Record<string, string> = keyed ? { 'idempotency-key': words } : {}
    const latest = performance.now() + patience
    do {
      const answer = await tryOnce(ask, kind, body(words), headers, setbacks)
      if (answer === 'never') return undefined
      if (answer !== 'later') {
        wish.ids.add(answer)
        // Some responses count as lost; the retry must return the same response.
        if (!keyed || random() > 0.1) return answer
      } else if (keyed) {
        await sleep(100 + random() * 400)
      }
    } while (keyed && performance.now() < latest)
    return undefined
  }
  const publish = async () => {
    const networks = Object.keys(profiles) as (keyof typeof profiles)[]
    const network = networks[Math.floor(random() * networks.length)] as keyof typeof profiles
    const text = (words: string) => ({ network, campaignId, message: `Out now: ${words}` })
    const messageId = await make('message', text)
    if (messageId) await make('post', () => ({ messageId, credentialIds: profiles[network] }))
  }
  const write = async () => {
    const number = random()
    if (number < 0.4) await make('tag', (tag) => ({ tag }))
    else if (number < 0.6) await make('campaign', (name) => ({ name }))
    else if (number < 0.9) await make('message', (message) => ({ network: 'Twitter', campaignId, message }))
    else await publish()
  }
  const read = async () => {
    const known = wishes.filter(({ kind, ids }) => kind === 'tag' && ids.size > 0)
    const [id] = known[Math.floor(random() * known.length)]?.ids ?? []
    if (!id) return sleep(100)
    const found = await ask(`GET /tag/${id}`).catch(() => undefined)
    reads.done++
    if (found?.status === 404) reads.vanished++
  }
  const live = async (act: () => Promise<void>) => {
    while (!ended) {
      await act()
      if (!hurrying) await sleep(300 + random() * 600)
    }
  }
  const living = Promise.all([...Array.from({ length: count }, () => live(write)), live(read), live(read)])
  return {
    requests: wishes,
    failures: setbacks,
    reads: () => reads,
    async answered(more) {
      const answered = () => wishes.filter(({ ids }) => ids.size > 0).length
      const wanted = answered() + more
      while (answered() < wanted) await sleep(50)
    },
    hurry(on) {
      hurrying = on
    },
    async end() {
      ended = true
      await living
    },
  }
}

/** The created id, or whether a retry can succeed. */
async function tryOnce(
  ask: Caller,
  kind: Kind,
  body: object,
  headers: Record<string, string>,
  setbacks: Record<string, number>,
): Promise<string | 'later' | 'never'> {
  try {
    const { status, headers: said, json } = await ask(`POST /${kind}`, { body, headers })
    const id = json?.[kind[0]?.toUpperCase() + kind.slice(1)]?.Id
    if (status === 200 && typeof id === 'string') return id
    const name = status === 503 && !said.has('retry-after') ? '503 without Retry-After' : String(status)
    setbacks[name] = (setbacks[name] ?? 0) + 1
    return status >= 500 || status === 409 ? 'later' : 'never'
  } catch {
    setbacks['no answer'] = (setbacks['no answer'] ?? 0) + 1
    return 'later'
  }
}
