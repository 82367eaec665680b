import { call, noteLost, noteReached, type Route } from './call.ts'
import { cache, readAgain } from './queries.ts'

/** Tells that something changed, never what. */
export interface Hint {
  kind: string
  id: string | null
  parent: string | null
  by: string | null
}

/** Somebody else is at something. */
export interface Presence {
  kind: string
  id: string
  doing: 'viewing' | 'editing' | 'replying'
  by: string
}

type Heard =
  | { event: 'ready' | 'reset'; data: object }
  | { event: 'hint'; data: Hint }
  | { event: 'presence'; data: Presence }

/** Which answers tell of which kind of thing; what the name of a route does not say. */
const toldBy: { readonly [kind: string]: readonly string[] } = {
  post: ['/post', '/postlog', '/calendar', '/overview', '/message'],
  campaign: ['/campaign', '/calendar', '/overview'],
  event: ['/calendar'],
  upload: ['/upload'],
  media: ['/media'],
  mediaFolder: ['/media-folder', '/media'],
  approval: ['/workflow-item', '/workflow-item-note', '/overview', '/post', '/calendar'],
  profile: ['/credential', '/credential-health', '/overview'],
  board: ['/board', '/my'],
  topic: ['/board-topic', '/board', '/my'],
  story: ['/story', '/board', '/my'],
  advocate: ['/advocate', '/board', '/my'],
  conversation: ['/conversation', '/overview'],
  streamTab: ['/stream-tab'],
  stream: ['/stream', '/stream-tab'],
  user: ['/user', '/invitation', '/session', '/team', '/workflow'],
  account: ['/session', '/account'],
  setting: ['/workflow', '/tag', '/cname', '/link-settings', '/conversion-tag', '/integration'],
}

const hearers = new Set<(presence: Presence) => void>()

/** Hears who is at what, as long as it is wanted. */
export function hearPresence(hear: (presence: Presence) => void): () => void {
  hearers.add(hear)
  return () => void hearers.delete(hear)
}

/**
 * Listens to what changes. Browsers have six connections to a host, so one tab holds the feed for all: whoever has the lock. The others
 * hear it from that one.
 */
export function openFeed(userId: string): () => void {
  const name = `chorus.feed.${userId}`
  const closing = new AbortController()
  const channel = new BroadcastChannel(name)
  channel.onmessage = ({ data }: MessageEvent<Heard>) => hear(data)
  const pass = (heard: Heard) => {
    hear(heard)
    channel.postMessage(heard)
  }
  void navigator.locks.request(name, { signal: closing.signal }, () => holdFeed(pass, closing.signal)).catch(() => {})
  return () => {
    closing.abort()
    channel.close()
  }
}

function hear(heard: Heard) {
  if (heard.event === 'presence') for (const tell of hearers) tell(heard.data)
  else if (heard.event === 'reset') readAgain(...routesRead())
  else if (heard.event === 'hint') noteStale(heard.data)
}

const stale = new Set<string>()
let isWaiting = false

/** What many changes touch is read again once a second at most. */
function noteStale({ kind }: Hint) {
  for (const path of toldBy[kind] ?? []) stale.add(path)
  if (kind === 'team') {
    for (const paths of Object.values(toldBy)) for (const path of paths) stale.add(path)
    for (const path of ['/restricted-entity', '/campaign']) stale.add(path)
  }
  if (isWaiting) return
  isWaiting = true
  setTimeout(readStale, 200)
}

function readStale() {
  const paths = [...stale]
  stale.clear()
  setTimeout(() => {
    isWaiting = stale.size > 0
    if (isWaiting) readStale()
  }, 1_000)
  readAgain(...routesRead().filter((route) => paths.some((path) => isOf(route, path))))
}

const routesRead = (): Route[] => [
  ...new Set(
    cache
      .getQueryCache()
      .getAll()
      .map(({ queryKey }) => queryKey[0] as Route),
  ),
]

/** `v2 GET /post/{id}` is of `/post`, and `GET /post-template` is not. */
const isOf = (route: Route, path: string) => {
  const at = route.slice(route.indexOf('/'))
  return at === path || at.startsWith(`${path}/`)
}

/** A sign of life comes every fifteen seconds. */
const silence = 40_000
const fiveMinutes = 5 * 60_000
const pauses = [1_000, 2_000, 5_000, 15_000]

async function holdFeed(pass: (heard: Heard) => void, closing: AbortSignal): Promise<void> {
  let lastId = ''
  let failed = 0
  while (!closing.aborted) {
    try {
      await listen(lastId, closing, (heard, id) => {
        failed = 0
        if (id) lastId = id
        if (heard) pass(heard)
      })
    } catch {
      failed++
    }
    await pause(pauses[Math.min(failed, pauses.length - 1)] ?? 0, closing)
  }
}

/** Reads the feed by hand: a browser's own reader does not show signs of life, so it would not notice a broken connection. */
async function listen(lastId: string, closing: AbortSignal, tell: (heard: Heard | undefined, id: string) => void) {
  const broken = new AbortController()
  const cut = () => {
    if (!closing.aborted) noteLost()
    broken.abort()
  }
  closing.addEventListener('abort', cut)
  let watch = setTimeout(cut, silence)
  try {
    const query = lastId && `?lastEventId=${encodeURIComponent(lastId)}`
    const answer = await fetch(`/app/api/feed${query}`, {
      headers: { accept: 'text/event-stream' },
      signal: broken.signal,
    }).catch((error) => {
      if (!closing.aborted) noteLost()
      throw error
    })
    noteReached()
    // Has somebody sign in again, now and not when they send what they write; who does not want to is not asked by this again soon.
    if (answer.status === 401) await call('GET /session').catch(() => pause(fiveMinutes, closing))
    if (!answer.ok || !answer.body) throw new Error(`The feed answered with the status ${answer.status}.`)
    let rest = ''
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      clearTimeout(watch)
      watch = setTimeout(cut, silence)
      const blocks = (rest + value).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) tellBlock(block, tell)
    }
  } finally {
    clearTimeout(watch)
    closing.removeEventListener('abort', cut)
  }
}

function tellBlock(block: string, tell: (heard: Heard | undefined, id: string) => void) {
  const found: { [field: string]: string } = {}
  for (const line of block.split('\n')) {
    const split = line.indexOf(':')
    if (split > 0) found[line.slice(0, split)] = line.slice(split + 1).replace(/^ /, '')
  }
  const { event = '', data = '', id = '' } = found
  tell(data === '' ? undefined : ({ event, data: JSON.parse(data) } as Heard), id)
}

const pause = (milliseconds: number, closing: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    closing.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
