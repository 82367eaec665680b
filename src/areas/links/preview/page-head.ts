import { Parser } from 'htmlparser2'

/** What a page says of itself to whoever shows a link to it. */
export interface PageHead {
  title: string
  description: string
  imageUrl: string
  siteName: string
}

const longestTitle = 300
const longestDescription = 1_000
const longestUrl = 2_048

/** The names under which pages say it, the best first. */
const names = {
  title: ['og:title', 'twitter:title'],
  description: ['og:description', 'twitter:description', 'description'],
  imageUrl: ['og:image:secure_url', 'og:image:url', 'og:image', 'twitter:image', 'twitter:image:src'],
  siteName: ['og:site_name', 'application-name'],
} as const

/** Reads the beginning of a page that a stranger wrote: in linear time, and nothing of it acts or grows without bound. */
export function readHead(html: string, pageUrl: string): PageHead {
  const said = new Map<string, string>()
  let title = ''
  let inTitle = false
  const parser = new Parser({
    onopentag(name, { name: called, property, content }) {
      if (name === 'title') inTitle = title === ''
      const key = (property ?? called ?? '').trim().toLowerCase()
      if (name === 'meta' && content && !said.has(key)) said.set(key, content)
    },
    ontext(text) {
      if (inTitle && title.length < longestTitle) title += text
    },
    onclosetag(name) {
      if (name === 'title') inTitle = false
    },
  })
  parser.write(html)
  const first = (of: readonly string[]) => of.map((name) => said.get(name)?.trim()).find((text) => text) ?? ''
  return {
    title: inOneLine(first(names.title) || title, longestTitle),
    description: inOneLine(first(names.description), longestDescription),
    imageUrl: addressFrom(first(names.imageUrl), pageUrl),
    siteName: inOneLine(first(names.siteName), longestTitle),
  }
}

/** As text of one line, cut where it is too long; controls and what turns the direction of writing are left out. */
const inOneLine = (text: string, longest: number) =>
  text
    .slice(0, longest * 2)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(/[\u202a-\u202e\u2066-\u2069\ufffd]/g, '')
    .split(' ')
    .filter((word) => word !== '')
    .join(' ')
    .slice(0, longest)
    .toWellFormed()
    .replace(/\ufffd$/, '')

function addressFrom(text: string, pageUrl: string): string {
  if (text === '' || text.length > longestUrl || !URL.canParse(text, pageUrl)) return ''
  const { protocol, href } = new URL(text, pageUrl)
  return (protocol === 'https:' || protocol === 'http:') && href.length <= longestUrl ? href : ''
}
