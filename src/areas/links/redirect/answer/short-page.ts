/** A request to the short host that is no short link. */
export interface ShortRequest {
  readonly method: string
  /** The Host header in small letters, without its port. */
  readonly host: string
  /** As the page's own `path`: without the prefix that short links have on this host, without the query. */
  readonly path: string
  readonly query: URLSearchParams
  /** The value of the visitor's cookie, if it sent one that may have come from us. */
  readonly visitor: string | undefined
  /** Where the visitor is, as far as trusted proxies say. */
  readonly address: string
  /** Empty where there is none; cut to what the database keeps. */
  readonly userAgent: string
  /** Whether the visitor asks not to be followed, and whether it came over https. */
  readonly headers: { readonly dnt: string | undefined; readonly 'sec-gpc': string | undefined }
  readonly secure: boolean
  readonly now: Date
}

export interface ShortAnswer {
  readonly status: number
  /** By name in small letters; `content-length` is added. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer
}

/** Something else that the short host answers, in front of the hashes. */
export interface ShortPage {
  /** Beginning with a slash, such as `/conversion.gif`. */
  readonly path: string
  answer(request: ShortRequest): Promise<ShortAnswer>
}
