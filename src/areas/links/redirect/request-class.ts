import { isbot } from 'isbot'
import { aboutOf } from '../click/click-bundle.ts'

/** Headers used by the redirector. */
export interface Headers {
  readonly host: string | undefined
  readonly userAgent: string
  readonly cookie: string
  readonly dnt: string | undefined
  readonly secGpc: string | undefined
  /** Prefetch header; empty if missing. */
  readonly purpose: string
}

/** From the raw name-value list: building a header object costs more than the rest of a click. */
export function readHeaders(raw: readonly string[]): Headers {
  let [userAgent, cookie, purpose] = ['', '', '']
  let [host, dnt, secGpc]: (string | undefined)[] = []
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at] as string
    if (!lengths[name.length]) continue
    const value = raw[at + 1] as string
    // Of duplicates the first counts.
    switch (name.toLowerCase()) {
      case 'host':
        host ??= value
        break
      case 'user-agent':
        userAgent ||= value
        break
      case 'cookie':
        cookie = cookie === '' ? value : `${cookie}; ${value}`
        break
      case 'dnt':
        dnt ??= value
        break
      case 'sec-gpc':
        secGpc ??= value
        break
      case 'sec-purpose':
      case 'purpose':
      case 'x-moz':
      case 'x-purpose':
        purpose += `${value} `
    }
  }
  return { host, userAgent, cookie, dnt, secGpc, purpose }
}

const names = ['host', 'user-agent', 'cookie', 'dnt', 'sec-gpc', 'sec-purpose', 'purpose', 'x-moz', 'x-purpose']
/** Most other headers are excluded by their length. */
const lengths = Array.from({ length: 12 }, (_, length) => names.some((name) => name.length === length))

export const requestsNoTracking = ({ dnt, secGpc }: Headers) => dnt === '1' || secGpc === '1'

/** Classification of a visit. Only `human` counts. */
type ClickClass = 'human' | 'bot' | 'preview' | 'head' | 'prefetch'

interface Classed {
  readonly class: ClickClass
  /** Why it doesn't count; empty for a person. */
  readonly reason: string
}

/** Requests that aren't a click, regardless of the sender: HEAD, or a prefetch according to `purpose`. */
export function classByRequest(method: string, purpose: string): Classed | undefined {
  if (method === 'HEAD') return head
  return purpose !== '' && /prefetch|prerender|preview/i.test(purpose) ? prefetch : undefined
}

const head: Classed = { class: 'head', reason: 'A HEAD request: nobody saw the destination.' }
const prefetch: Classed = { class: 'prefetch', reason: 'The browser looked ahead.' }

/** Person, program or preview, by user agent. */
export function classByUserAgent(userAgent: string): Classed {
  if (userAgent.trim() === '') return { class: 'bot', reason: 'It does not say what it is (no user agent).' }
  const preview = previews.exec(userAgent)
  if (preview && !inApp.test(userAgent)) return { class: 'preview', reason: `A link preview (${preview[0].trim()}).` }
  const program = programs.exec(userAgent)
  if (program) return { class: 'bot', reason: `A program (${program[0].trim()}).` }
  if (inApp.test(userAgent)) return human
  if (isbot(userAgent)) return { class: 'bot', reason: 'A known robot.' }
  return human
}

const human: Classed = { class: 'human', reason: '' }

/** Fetchers of link previews, and scanners that check links before a click. */
const previews = new RegExp(
  [
    'facebookexternalhit|facebookcatalog|facebot|meta-externalagent|meta-externalfetcher',
    'twitterbot|linkedinbot|slackbot|slack-imgproxy|telegrambot|discordbot|pinterestbot|^pinterest/|redditbot',
    '^whatsapp/|^viber|line-poker|snap url preview|skypeuripreview|microsoftpreview|bingpreview|teamsbot',
    'google-pagerenderer|developers\\.google\\.com/\\+/web/snippet|google-safety|googleimageproxy|yahoomailproxy',
    'embedly|iframely|opengraph|metainspector|link[ -]?preview|url[ -]?preview|previewbot|unfurl',
    'mastodon/|cardyb|misskey/|pleroma|akkoma|lemmy/|synapse|matrix-|mattermost|rocket\\.chat|zulip',
    'vkshare|^tumblr/|flipboardproxy|flipboardrss|nuzzel|xing-contenttab|quora link|bitlybot|outbrain|notionembedder|trello',
    'safelinks|microsoft office|ms-office|msoffice|microsoft outlook|office existence discovery|proofpoint|mimecast|barracuda',
  ].join('|'),
  'i',
)

/** Programs: libraries, headless browsers, monitors. */
const programs = new RegExp(
  [
    'headless|phantomjs|puppeteer|playwright|selenium|webdriver|electron-fetch|slimerjs|cypress',
    '^curl/|^wget/|libwww-perl|^libwww/|python-|^python/|aiohttp|httpx|urllib|^java/|okhttp|apache-http|jakarta|go-http-client|^ruby|faraday|http\\.rb',
    'node-fetch|^node|undici|axios|^got |superagent|guzzle|^php/|libcurl|winhttp|restsharp|^dart/|reqwest|hyper/|^perl|lwp::|^lua|httpie|postman|insomnia',
    'uptime|pingdom|statuscake|site24x7|newrelic|datadog|checkly|monitor|nagios|zabbix|gtmetrix|lighthouse|pagespeed|webpagetest',
  ].join('|'),
  'i',
)

/** In-app browsers. */
const inApp =
  /\bFBA[NV]\/|\bFB_IAB\/|\bInstagram \d|\[LinkedInApp\]|\bLinkedInApp\b|Twitter for |\[Pinterest\/|musical_ly|BytedanceWebview|TikTok \d|\bSnapchat\/\d|\bLine\/\d/

/** Cached classification of a user agent. */
interface Agent {
  /** Short id while cached. */
  readonly name: string
  readonly isHuman: boolean
  /** Serialized classification of its clicks. */
  readonly about: string
}

const agentsPerGeneration = 20_000

/** Classifies user agents once each: there are few, and every request has one. */
export function openAgents(): (userAgent: string) => Agent {
  let recent = new Map<string, Agent>()
  let older = new Map<string, Agent>()
  let count = 0
  return (userAgent) => {
    const known = recent.get(userAgent)
    if (known) return known
    if (recent.size >= agentsPerGeneration) {
      older = recent
      recent = new Map()
    }
    const agent = older.get(userAgent) ?? agentFor(userAgent, (count++).toString(36))
    recent.set(userAgent, agent)
    return agent
  }
}

function agentFor(userAgent: string, name: string): Agent {
  const classed = classByUserAgent(userAgent)
  return { name, isHuman: classed.class === 'human', about: aboutOf({ ...classed, userAgent }) }
}
