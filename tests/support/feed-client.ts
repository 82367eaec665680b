import { type ClientRequest, get, type IncomingMessage } from 'node:http'

/** One event as a browser receives it. */
export interface ReceivedEvent {
  name: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read events of every kind
  data: any
}

export interface FeedClient {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly events: ReceivedEvent[]
  /** The id with which a browser would resume. */
  lastId(): string
  /** Number of comments received: heartbeats. */
  beats(): number
  /** Resolves when the connection is closed by either side: whether the response was complete. */
  readonly over: Promise<boolean>
  isOver(): boolean
  /** Stops reading until resumed. */
  pause(): void
  resume(): void
  close(): void
}

/** Subscribes to a feed like a browser. */
export function listenTo(url: string, headers: Record<string, string>, after?: string): Promise<FeedClient> {
  return new Promise((resolve, reject) => {
    const given = { ...headers, accept: 'text/event-stream', ...(after !== undefined && { 'last-event-id': after }) }
    const asking = get(url, { agent: false, headers: given }, (answer) => resolve(clientOf(asking, answer)))
    asking.on('error', reject)
  })
}

function clientOf(asking: ClientRequest, answer: IncomingMessage): FeedClient {
  const events: ReceivedEvent[] = []
  let lastId = ''
  let beats = 0
  let rest = ''
  let isOver = false

  const handleBlock = (block: string) => {
    let [name, data] = ['message', '']
    for (const line of block.split('\n')) {
      const split = line.indexOf(':')
      const [field, value] = [line.slice(0, split), line.slice(split + 1).replace(/^ /, '')]
      if (field === '') beats++
      else if (field === 'id') lastId = value
      else if (field === 'event') name = value
      else if (field === 'data') data += value
    }
    if (data !== '') events.push({ name, data: JSON.parse(data) })
  }
  answer.setEncoding('utf8')
  answer.on('data', (text: string) => {
    const blocks = (rest + text).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) handleBlock(block)
  })
  const over = new Promise<boolean>((resolve) => {
    answer.on('close', () => {
      isOver = true
      resolve(answer.complete)
    })
  })
  answer.on('error', () => {})
  asking.removeAllListeners('error').on('error', () => {})
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    events,
    lastId: () => lastId,
    beats: () => beats,
    over,
    isOver: () => isOver,
    pause: () => void answer.pause(),
    resume: () => void answer.resume(),
    close: () => void asking.destroy(),
  }
}
