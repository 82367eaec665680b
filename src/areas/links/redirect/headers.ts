/** A request's headers by their names in small letters. */
export interface RawHeaders {
  readonly [name: string]: string | string[] | undefined
  readonly 'user-agent'?: string | undefined
  readonly cookie?: string | undefined
}

/** What the redirector needs of them. */
export interface Headers {
  readonly userAgent: string
  readonly cookie: string
  readonly dnt: string | undefined
  readonly secGpc: string | undefined
  /** What a browser says that looks ahead; empty for one that does not. */
  readonly purpose: string
}

export function readHeaders(raw: RawHeaders): Headers {
  return {
    userAgent: raw['user-agent'] ?? '',
    cookie: raw.cookie ?? '',
    dnt: raw.dnt as string | undefined,
    secGpc: raw['sec-gpc'] as string | undefined,
    purpose: String(raw['sec-purpose'] ?? raw.purpose ?? raw['x-moz'] ?? raw['x-purpose'] ?? ''),
  }
}

export const asksNotToBeTracked = ({ dnt, secGpc }: Headers) => dnt === '1' || secGpc === '1'
