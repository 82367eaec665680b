import { isbot } from 'isbot'

/** Who came, as far as it can be told. Of these only `human` counts. */
type ClickClass = 'human' | 'bot' | 'preview' | 'head' | 'prefetch'

export interface Classed {
  readonly class: ClickClass
  /** Why it does not count; empty for a person. */
  readonly reason: string
}

/** Not a person's own click, whoever sends it: one that wants no content, or a look ahead, which `purpose` tells. */
export function classByRequest(method: string, purpose: string): Classed | undefined {
  if (method === 'HEAD') return head
  return purpose !== '' && /prefetch|prerender|preview/i.test(purpose) ? ahead : undefined
}

const head: Classed = { class: 'head', reason: 'A HEAD request: nobody saw the destination.' }
const ahead: Classed = { class: 'prefetch', reason: 'The browser looked ahead.' }

/** Person, program or preview, by the user agent alone. */
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

/** Fetchers that show a link's title and picture where it was posted, and scanners that look before somebody may click. */
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

/** What no person looks through: libraries, headless browsers, monitors. */
const programs = new RegExp(
  [
    'headless|phantomjs|puppeteer|playwright|selenium|webdriver|electron-fetch|slimerjs|cypress',
    '^curl/|^wget/|libwww-perl|^libwww/|python-|^python/|aiohttp|httpx|urllib|^java/|okhttp|apache-http|jakarta|go-http-client|^ruby|faraday|http\\.rb',
    'node-fetch|^node|undici|axios|^got |superagent|guzzle|^php/|libcurl|winhttp|restsharp|^dart/|reqwest|hyper/|^perl|lwp::|^lua|httpie|postman|insomnia',
    'uptime|pingdom|statuscake|site24x7|newrelic|datadog|checkly|monitor|nagios|zabbix|gtmetrix|lighthouse|pagespeed|webpagetest',
  ].join('|'),
  'i',
)

/** Browsers inside an app that a person holds. */
const inApp =
  /\bFBA[NV]\/|\bFB_IAB\/|\bInstagram \d|\[LinkedInApp\]|\bLinkedInApp\b|Twitter for |\[Pinterest\/|musical_ly|BytedanceWebview|TikTok \d|\bSnapchat\/\d|\bLine\/\d/
