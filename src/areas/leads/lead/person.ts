import type { NetworkName } from '#networks/manifests.ts'

/** Details of a person at one moment; empty if unknown. */
export interface PersonSnapshot {
  /** Lowercase. */
  email: string
  name: string
  photo: string
  phone: string
  /** Profile on a network. */
  profile?: PersonProfile | undefined
  /** Empty if unknown. */
  network: string
  campaignId: string
}

export interface PersonProfile {
  network: string
  remoteId: string
  username: string
}

/** First names and last name of a full name, in the common order. */
export function namesOf(full: string): { name: string; firstName: string; lastName: string } {
  const name = full.trim().slice(0, 200)
  const gap = name.indexOf(' ')
  if (gap < 0) return { name, firstName: name, lastName: '' }
  return { name, firstName: name.slice(0, gap), lastName: name.slice(gap + 1).trim() }
}

/** URL of a profile; empty if it can't be derived. */
export function profileUrl({ network, remoteId, username }: PersonProfile): string {
  const [id, name] = [encodeURIComponent(remoteId), encodeURIComponent(username)]
  return profileUrls[network as NetworkName]?.(id, name) ?? ''
}

const profileUrls: { [network in NetworkName]?: (id: string, name: string) => string } = {
  Facebook: (id) => `https://www.facebook.com/${id}`,
  Instagram: (_, name) => name && `https://www.instagram.com/${name}/`,
  LinkedIn: (_, name) => name && `https://www.linkedin.com/in/${name}`,
  Twitter: (id, name) => (name ? `https://x.com/${name}` : `https://x.com/i/user/${id}`),
  YouTube: (id) => `https://www.youtube.com/channel/${id}`,
  TikTok: (_, name) => name && `https://www.tiktok.com/@${name}`,
}

/** Maximum lengths of an address and of the text searched: untrusted text may contain nothing else. */
const longestName = 64
const longestHost = 253
const maximumCandidates = 100

/** First email address in a text, lowercase; empty if there is none. Linear time. */
export function emailIn(text: string): string {
  let at = text.indexOf('@')
  for (let seen = 0; at >= 0 && seen < maximumCandidates; seen++) {
    const address = emailAt(text, at)
    if (address !== '') return address
    at = text.indexOf('@', at + 1)
  }
  return ''
}

/** First international phone number in a text, as written; empty if there is none. */
export function phoneIn(text: string): string {
  let at = text.indexOf('+')
  for (let seen = 0; at >= 0 && seen < maximumCandidates; seen++) {
    const number = phoneAt(text.slice(at, at + longestPhone))
    if (number !== '') return number
    at = text.indexOf('+', at + 1)
  }
  return ''
}

const longestPhone = 30

function phoneAt(text: string): string {
  const [written = ''] = /^\+[\d ()./-]*/.exec(text) ?? []
  let end = written.length
  while (end > 0 && !/\d/.test(written.charAt(end - 1))) end--
  const number = written.slice(0, end)
  const digits = number.replace(/\D/g, '').length
  return digits >= 8 && digits <= 15 ? number : ''
}

function emailAt(text: string, at: number): string {
  let from = at
  while (from > 0 && at - from < longestName && isLocalPartCharacter(text.charAt(from - 1))) from--
  // A longer run is no name, and neither is its end.
  if (from > 0 && isLocalPartCharacter(text.charAt(from - 1))) return ''
  let to = at + 1
  while (to < text.length && to - at <= longestHost && isHostCharacter(text.charAt(to))) to++
  const name = trimmed(text.slice(from, at))
  const labels = trimmed(text.slice(at + 1, to)).split('.')
  const last = labels.at(-1) ?? ''
  const isHost = labels.length > 1 && labels.every((label) => label !== '' && label.length <= 63)
  return name !== '' && isHost && /^\p{L}{2,}$/u.test(last) ? `${name}@${labels.join('.')}`.toLowerCase() : ''
}

// In scripts without spaces the surrounding sentence would become part of the address.
const isLocalPartCharacter = (character: string) =>
  /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}.!#$%&'*+/=?^_`{|}~-]/u.test(character)
const isHostCharacter = (character: string) =>
  /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}.-]/u.test(character)

/** Without punctuation of the surrounding sentence. */
function trimmed(part: string): string {
  let [from, to] = [0, part.length]
  while (from < to && punctuation.has(part.charAt(from))) from++
  while (to > from && punctuation.has(part.charAt(to - 1))) to--
  return part.slice(from, to)
}

const punctuation = new Set([...".-'`*/=?!{|}~"])
