import type { ChangeName } from '#main/wire-types.ts'
import { call, markOffline, markOnline, type Route } from './call.ts'
import { invalidate, queryClient } from './queries.ts'

/** A change notification: names what kind of entity changed, not its content. */
export interface ChangeHint {
  kind: ChangeName
  id: string | null
  parent: string | null
  by: string | null
}

/** Another user is viewing or editing an entity. */
export interface Presence {
  kind: string
  id: string
  doing: 'viewing' | 'editing' | 'replying'
  by: string
}

type FeedEvent =
  | { event: 'ready' | 'reset'; data: object }
  | { event: 'hint'; data: ChangeHint }
  | { event: 'presence'; data: Presence }

/** The routes whose responses a change affects. A change kind without an entry does not compile. */
const affectedPaths = {
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
  // Teams control visibility, so any response can change.
  team: 'all',
  user: ['/user', '/invitation', '/session', '/team', '/workflow'],
  account: ['/session', '/account'],
  setting: ['/workflow', '/tag', '/cname', '/link-settings', '/conversion-tag', '/integration'],
  // The console has no dashboards yet.
  dashboard: [],
} as const satisfies Record<ChangeName, readonly string[] | 'all'>

const allPaths = [...new Set(Object.values(affectedPaths).flatMap((paths) => (paths === 'all' ? [] : paths)))]

const presenceListeners = new Set<(presence: Presence) => void>()

/** Subscribes to presence events; returns the function that unsubscribes. */
export function onPresence(handleEvent: (presence: Presence) => void): () => void {
  presenceListeners.add(handleEvent)
  return () => void presenceListeners.delete(handleEvent)
}

/**
 * Subscribes to the change feed. Browsers allow six connections per host, so only the tab that holds the lock keeps the feed open and
 * broadcasts to the others.
 */
export function openFeed(userId: string): () => void {
  const name = `chorus.feed.${userId}`
  const closing = new AbortController()
  const channel = new BroadcastChannel(name)
  channel.onmessage = ({ data }: MessageEvent<FeedEvent>) => handleEvent(data)
  const deliver = (event: FeedEvent) => {
    handleEvent(event)
    channel.postMessage(event)
  }
  void navigator.locks
    .request(name, { signal: closing.signal }, () => keepFeedOpen(deliver, closing.signal))
    .catch(() => {})
  return () => {
    closing.abort()
    channel.close()
  }
}

function handleEvent(event: FeedEvent) {
  if (event.event === 'presence') for (const listener of presenceListeners) listener(event.data)
  else if (event.event === 'reset') invalidate(...cachedRoutes())
  else if (event.event === 'hint') markStale(event.data)
}

const stalePaths = new Set<string>()
let isScheduled = false

/** Refetches at most once a second, however many changes arrive. */
function markStale({ kind }: ChangeHint) {
  // A server newer than the page can send kinds the page doesn't know.
  const paths = affectedPaths[kind] ?? []
  for (const path of paths === 'all' ? [...allPaths, '/restricted-entity'] : paths) stalePaths.add(path)
  if (isScheduled) return
  isScheduled = true
  setTimeout(refetchStale, 200)
}

function refetchStale() {
  const paths = [...stalePaths]
  stalePaths.clear()
  setTimeout(() => {
    isScheduled = stalePaths.size > 0
    if (isScheduled) refetchStale()
  }, 1_000)
  invalidate(...cachedRoutes().filter((route) => paths.some((path) => matchesPath(route, path))))
}

const cachedRoutes = (): Route[] => [
  ...new Set(
    queryClient
      .getQueryCache()
      .getAll()
      .map(({ queryKey }) => queryKey[0] as Route),
  ),
]

/** `v2 GET /post/{id}` belongs to `/post`, `GET /post-template` does not. */
const matchesPath = (route: Route, path: string) => {
  const at = route.slice(route.indexOf('/'))
  return at === path || at.startsWith(`${path}/`)
}

/** The server sends a heartbeat every fifteen seconds. */
const heartbeatTimeout = 40_000
const signInRetryDelay = 5 * 60_000
const reconnectDelays = [1_000, 2_000, 5_000, 15_000]

async function keepFeedOpen(deliver: (event: FeedEvent) => void, closing: AbortSignal): Promise<void> {
  let lastId = ''
  let failed = 0
  while (!closing.aborted) {
    try {
      await readFeed(lastId, closing, (event, id) => {
        failed = 0
        if (id) lastId = id
        if (event) deliver(event)
      })
    } catch {
      failed++
    }
    await pause(reconnectDelays[Math.min(failed, reconnectDelays.length - 1)] ?? 0, closing)
  }
}

/** Uses fetch instead of EventSource, which does not expose heartbeats and so could not detect a dead connection. */
async function readFeed(
  lastId: string,
  closing: AbortSignal,
  onEvent: (event: FeedEvent | undefined, id: string) => void,
) {
  const connection = new AbortController()
  const disconnect = () => {
    if (!closing.aborted) markOffline()
    connection.abort()
  }
  closing.addEventListener('abort', disconnect)
  let watchdog = setTimeout(disconnect, heartbeatTimeout)
  try {
    const query = lastId && `?lastEventId=${encodeURIComponent(lastId)}`
    const response = await fetch(`/app/api/feed${query}`, {
      headers: { accept: 'text/event-stream' },
      signal: connection.signal,
    }).catch((error) => {
      if (!closing.aborted) markOffline()
      throw error
    })
    markOnline()
    // Asks the user to sign in now rather than when they submit. If they decline, the feed waits before it asks again.
    if (response.status === 401) await call('GET /session').catch(() => pause(signInRetryDelay, closing))
    if (!response.ok || !response.body) throw new Error(`The feed answered with the status ${response.status}.`)
    let buffer = ''
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      clearTimeout(watchdog)
      watchdog = setTimeout(disconnect, heartbeatTimeout)
      const blocks = (buffer + value).split('\n\n')
      buffer = blocks.pop() ?? ''
      for (const block of blocks) parseBlock(block, onEvent)
    }
  } finally {
    clearTimeout(watchdog)
    closing.removeEventListener('abort', disconnect)
  }
}

function parseBlock(block: string, onEvent: (event: FeedEvent | undefined, id: string) => void) {
  const found: { [field: string]: string } = {}
  for (const line of block.split('\n')) {
    const split = line.indexOf(':')
    if (split > 0) found[line.slice(0, split)] = line.slice(split + 1).replace(/^ /, '')
  }
  const { event = '', data = '', id = '' } = found
  onEvent(data === '' ? undefined : ({ event, data: JSON.parse(data) } as FeedEvent), id)
}

const pause = (milliseconds: number, closing: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    closing.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
