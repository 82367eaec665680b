import type { Installation } from '#kernel/installation.ts'
import type { Log } from '#kernel/log.ts'
import type { ShortPage, ShortRequest, ShortResponse } from '../redirect/short-page-views.ts'
import { type ConversionOutcome, openConversions } from './reported-conversions.ts'

interface PagesOptions extends Installation {
  log: Log
}

/** Conversion script and pixel, loaded by customers' pages from the short host. */
export function conversionPages({ log, ...installation }: PagesOptions): readonly ShortPage[] {
  const convert = openConversions(installation)

  const outcomeOf = async ({ query, visitor = '', userAgent }: ShortRequest): Promise<ConversionOutcome | 'failed'> => {
    const report = (name: string) => query.get(name)?.trim() ?? ''
    try {
      return await convert({
        tag: report('tag'),
        value: report('value'),
        email: report('email'),
        click: report('click'),
        visitor,
        userAgent,
      })
    } catch (error) {
      log.error({ err: error }, 'counting a conversion failed')
      return 'failed'
    }
  }
  return [
    {
      path: '/conversion.gif',
      // The pixel is always returned.
      async answer(request) {
        return request.method === 'GET' ? pixel(await outcomeOf(request)) : pixel()
      },
    },
    { path: '/conversion.js', answer: async () => script },
  ]
}

const crossOriginHeaders = { 'x-content-type-options': 'nosniff', 'cross-origin-resource-policy': 'cross-origin' }

/** One transparent pixel. */
const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

const pixel = (outcome?: ConversionOutcome | 'failed'): ShortResponse => ({
  status: 200,
  headers: {
    ...crossOriginHeaders,
    'content-type': 'image/gif',
    'cache-control': 'no-store, private',
    ...(outcome && { 'x-chorus-conversion': outcome }),
  },
  body: gif,
})

/**
 * Runs in customers' pages, in any browser. On the landing page of a short link it remembers the click id in the URL; with a tag
 * it loads the pixel.
 */
const conversionScript = `(function () {
  var script = document.currentScript
  if (!script) return
  var pixel = script.src.split(/[?#]/)[0].replace(/conversion\\.js$/, 'conversion.gif')
  var parameter = script.getAttribute('data-parameter') || 'click'
  var key = 'chorus.click'

  function named() {
    var pairs = location.search.slice(1).split('&')
    for (var i = 0; i < pairs.length; i++) {
      var pair = pairs[i].split('=')
      if (pair[0] === encodeURIComponent(parameter) && /^009[0-9A-Za-z]{12}$/.test(pair[1] || '')) return pair[1]
    }
    return ''
  }

  // Storage may be forbidden; then only the visitor's cookie identifies the click.
  function remember(click) {
    try {
      sessionStorage.setItem(key, click)
    } catch (error) {}
  }
  function remembered() {
    try {
      return sessionStorage.getItem(key) || ''
    } catch (error) {
      return ''
    }
  }

  function convert(given) {
    given = given || {}
    var params = {
      tag: given.tag || script.getAttribute('data-tag'),
      value: given.value,
      email: given.email,
      click: given.click || named() || remembered()
    }
    var query = []
    for (var name in params) {
      var value = params[name]
      if (value !== undefined && value !== null && value !== '') {
        query.push(name + '=' + encodeURIComponent(value))
      }
    }
    var image = new Image(1, 1)
    image.src = pixel + '?' + query.join('&')
  }

  var click = named()
  if (click) remember(click)
  window.chorus = window.chorus || {}
  window.chorus.convert = convert
  if (script.getAttribute('data-tag')) {
    convert({ value: script.getAttribute('data-value'), email: script.getAttribute('data-email') })
  }
})()
`

const script: ShortResponse = {
  status: 200,
  headers: {
    ...crossOriginHeaders,
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=3600',
  },
  body: conversionScript,
}
