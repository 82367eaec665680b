import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, Attacker } from '../attacker.ts'

/** Tags as fast as allowed, beside lists of those there are. */
export function tags({ call, endlessly, chance }: Attacker) {
  return endlessly(16, (turn) => {
    if (turn % 2 === 0) return call('POST /tag', { body: { tag: `tag ${turn} ${chance()}` } })
    const query = `q=${['a', '7', 'g 1', '_', '%25'][turn % 5]}&_count=100&_page=${1 + (turn % 90)}&_order=lastUsed,1`
    return call('GET /tag', { query })
  })
}

const host = `https://a${'.aaaaaaaa'.repeat(12)}.com/?`
/** The longest texts there may be, each built against a way of reading texts. */
export const crookedTexts = [
  `https://example.com/${')'.repeat(10_200)}`,
  `https://example.com/${'.,!?'.repeat(5_000)}a`,
  `https://example.com/${'.)'.repeat(10_000)}`,
  host,
  `${host} `.repeat(500),
  `${'a'.repeat(62)}.`.repeat(1_000),
  'a.'.repeat(34_000),
  'a@'.repeat(34_000),
  '#'.repeat(68_000),
  '# @'.repeat(22_000),
  `${' '.repeat(68_000)}x`,
  `x${'\n \t'.repeat(22_000)}x`,
  'http://'.repeat(9_000),
  `http${'s://a'.repeat(12_000)}`,
  '👩‍👩‍'.repeat(8_000),
  '1️'.repeat(20_000),
  'é'.repeat(30_000),
  '<a '.repeat(20_000),
]

const networks = ['Twitter', 'Facebook', 'LinkedIn', 'Instagram', 'YouTube', 'TikTok']

/** Such texts wherever a text may stand; what was written is read again, and posted. */
export async function texts(attacker: Attacker) {
  const { call, targets, endlessly, visit } = attacker
  const { campaignId, credentialId, link } = targets
  const writing = endlessly(8, async (turn) => {
    const text = crookedTexts[turn % crookedTexts.length] ?? ''
    const network = networks[Math.floor(turn / crookedTexts.length) % networks.length]
    const line = text.replace(/\s+/g, '.').slice(0, 2_000)
    const body = { campaignId, network, message: text, description: line, linkUrl: line, title: line.slice(0, 400) }
    const made = await call('POST /message', { body })
    const plain =
      made.status === 200 ? made : await call('POST /message', { body: { campaignId, network, message: text } })
    const messageId = idIn(plain)
    // In a month, so that it stands in the calendar.
    const startDateTime = Math.floor(Date.now() / 1000) + 30 * 86_400
    if (messageId) await call('POST /post', { body: { messageId, credentialIds: credentialId, startDateTime } })
  })
  const leading = endlessly(2, async (turn) => {
    const longUrl = (turn % 2 === 0 ? host : (crookedTexts[turn % crookedTexts.length] ?? host)).slice(0, 2_000)
    await call(`POST /link/${link.id}`, { body: { longUrl } })
    await visit(link.url, { 'user-agent': 'Mozilla/5.0' })
    await sleep(100)
  })
  await Promise.all([writing, leading])
}

function idIn({ status, text }: Answer): string | undefined {
  return status === 200 ? /"Id":"([^"]+)"/.exec(text)?.[1] : undefined
}
