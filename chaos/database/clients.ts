import { setTimeout as sleep } from 'node:timers/promises'
import type { Caller } from '../../tests/support/caller.ts'

export type Kind = 'tag' | 'campaign' | 'message' | 'post'

/** Something a client wanted to be made, under words that nothing else has. */
export interface Wish {
  kind: Kind
  words: string
  /** The ids it was answered with; more than one if answers to the same call differ, none without an answer. */
  ids: Set<string>
}

export interface Clients {
  readonly wishes: readonly Wish[]
  /** Calls that were not answered as wished, by what they were answered. */
  readonly setbacks: Readonly<Record<string, number>>
  /** Reads of something that had been answered, and how many of them did not find it. */
  reads(): { done: number; vanished: number }
  /** Resolves when so many more wishes are answered. */
  answered(more: number): Promise<void>
  /** Whether to write without pausing. */
  hurry(on: boolean): void
  /** Resolves when every wish is answered or given up. */
  end(): Promise<void>
}

const campaignId = '002demo00000001'
/** A real client gives up some time; then it does not know. */
const patience = 120_000

const profiles = {
  Twitter: '003-1-1500000000000000501',
  Facebook: '003-1-100200300400501',
  LinkedIn: '003-1-2414183',
}

interface ClientOptions {
  ask: Caller
  chance: () => number
  count: number
  /** Tells the words of one run from those of another on the same database. */
  run: number
}

/** Clients that write and read as real ones do: most repeat under an Idempotency-Key until they are answered, some ask once. */
export function openClients({ ask, chance, count, run }: ClientOptions): Clients {
  const wishes: Wish[] = []
  const setbacks: Record<string, number> = {}
  const reads = { done: 0, vanished: 0 }
  let hurrying = false
  let ended = false

  const make = async (kind: Kind, body: (words: string) => object): Promise<string | undefined> => {
    const words = `pg-${run}-${wishes.length}-${kind}`
    const wish: Wish = { kind, words, ids: new Set() }
    wishes.push(wish)
    const keyed = chance() < 0.7
    const headers: Record<string, string> = keyed ? { 'idempotency-key': words } : {}
    const latest = performance.now() + patience
    do {
      const answer = await tryOnce(ask, kind, body(words), headers, setbacks)
      if (answer === 'never') return undefined
      if (answer !== 'later') {
        wish.ids.add(answer)
        // Now and then the answer is lost on the way, and a repetition gets the same one.
        if (!keyed || chance() > 0.1) return answer
      } else if (keyed) {
        await sleep(100 + chance() * 400)
      }
    } while (keyed && performance.now() < latest)
    return undefined
  }
  const publish = async () => {
    const networks = Object.keys(profiles) as (keyof typeof profiles)[]
    const network = networks[Math.floor(chance() * networks.length)] as keyof typeof profiles
    const text = (words: string) => ({ network, campaignId, message: `Out now: ${words}` })
    const messageId = await make('message', text)
    if (messageId) await make('post', () => ({ messageId, credentialIds: profiles[network] }))
  }
  const write = async () => {
    const number = chance()
    if (number < 0.4) await make('tag', (tag) => ({ tag }))
    else if (number < 0.6) await make('campaign', (name) => ({ name }))
    else if (number < 0.9) await make('message', (message) => ({ network: 'Twitter', campaignId, message }))
    else await publish()
  }
  const read = async () => {
    const known = wishes.filter(({ kind, ids }) => kind === 'tag' && ids.size > 0)
    const [id] = known[Math.floor(chance() * known.length)]?.ids ?? []
    if (!id) return sleep(100)
    const found = await ask(`GET /tag/${id}`).catch(() => undefined)
    reads.done++
    if (found?.status === 404) reads.vanished++
  }
  const live = async (act: () => Promise<void>) => {
    while (!ended) {
      await act()
      if (!hurrying) await sleep(300 + chance() * 600)
    }
  }
  const living = Promise.all([...Array.from({ length: count }, () => live(write)), live(read), live(read)])
  return {
    wishes,
    setbacks,
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

/** The id of what was made, or whether asking again can help. */
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
