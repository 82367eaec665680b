/** What the redirector needs of a request's headers. */
export interface Headers {
  readonly host: string | undefined
  readonly userAgent: string
  readonly cookie: string
  readonly dnt: string | undefined
  readonly secGpc: string | undefined
  /** What a browser says that looks ahead; empty for one that does not. */
  readonly purpose: string
}

/** From names and values in turn, as they came: putting all of them in order costs more than the rest of a click. */
export function readHeaders(raw: readonly string[]): Headers {
  let [userAgent, cookie, purpose] = ['', '', '']
  let [host, dnt, secGpc]: (string | undefined)[] = []
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at] as string
    if (!lengths[name.length]) continue
    const value = raw[at + 1] as string
    // Of what should come once, the first holds.
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
/** Most headers are told apart from these by their length alone. */
const lengths = Array.from({ length: 12 }, (_, length) => names.some((name) => name.length === length))

export const asksNotToBeTracked = ({ dnt, secGpc }: Headers) => dnt === '1' || secGpc === '1'
