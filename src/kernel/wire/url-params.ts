import { param, refuse, scalar } from './parameter.ts'

const longestUrl = 2048

/** A web address: http or https, with a host. */
export const url = param({ type: 'string', format: 'uri', maxLength: longestUrl }, (raw) =>
  webAddress(scalar(raw).trim()),
)

/** The same where an empty value takes the address away. */
export const urlOrNone = param({ type: 'string', maxLength: longestUrl }, (raw) => {
  const text = scalar(raw).trim()
  return text === '' ? text : webAddress(text)
})

function webAddress(text: string): string {
  if (text.length > longestUrl) refuse(`must be at most ${longestUrl} characters long`)
  // The parser would quietly drop blanks, and take the first part of a path for a host that is not there.
  if (!/^https?:\/\/[^\s/?#\\]/i.test(text) || /[\s\p{Cc}]/u.test(text) || !hasHost(text))
    refuse('must be an address that starts with http:// or https:// and names a host, such as https://example.com/page')
  return text
}

/** Not URL.canParse, which in Node 20 turns away accented letters once it is optimised. */
function hasHost(text: string): boolean {
  try {
    return new URL(text).hostname !== ''
  } catch {
    return false
  }
}
