import type { Installation } from '#kernel/installation.ts'
import type { Log } from '#kernel/log.ts'
import type { ShortAnswer, ShortPage, ShortRequest } from '../redirect/answer/short-page.ts'
import { conversionScript } from './conversion-script.ts'
import { type ConversionOutcome, openConversions } from './convert.ts'

interface PagesOptions extends Installation {
  log: Log
}

/** What pages of customers load from the short host to tell of conversions. */
export function conversionPages({ log, ...installation }: PagesOptions): readonly ShortPage[] {
  const convert = openConversions(installation)

  const outcomeOf = async ({ query, visitor = '', userAgent }: ShortRequest): Promise<ConversionOutcome | 'failed'> => {
    const told = (name: string) => query.get(name)?.trim() ?? ''
    try {
      return await convert({
        ...{ tag: told('tag'), value: told('value'), email: told('email'), click: told('click') },
        ...{ visitor, userAgent },
      })
    } catch (error) {
      log.error({ err: error }, 'counting a conversion failed')
      return 'failed'
    }
  }
  return [
    {
      path: '/conversion.gif',
      // Whatever happens, the page gets its picture.
      async answer(request) {
        return request.method === 'GET' ? pixel(await outcomeOf(request)) : pixel()
      },
    },
    { path: '/conversion.js', answer: async () => script },
  ]
}

const openToAll = { 'x-content-type-options': 'nosniff', 'cross-origin-resource-policy': 'cross-origin' }

/** One transparent point. */
const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

const pixel = (outcome?: ConversionOutcome | 'failed'): ShortAnswer => ({
  status: 200,
  headers: {
    ...openToAll,
    'content-type': 'image/gif',
    'cache-control': 'no-store, private',
    ...(outcome && { 'x-chorus-conversion': outcome }),
  },
  body: gif,
})

const script: ShortAnswer = {
  status: 200,
  headers: {
    ...openToAll,
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=3600',
  },
  body: conversionScript,
}
