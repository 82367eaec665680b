import { addressesIn } from '#networks/content/text-addresses.ts'
import { useCall, useSettled } from '../../../../wire/queries.ts'

/** The first address in a text that is written out. */
export function firstAddress(text: string): string {
  for (const { from, to, hasScheme } of addressesIn(text)) if (hasScheme) return text.slice(from, to)
  return ''
}

/** What a page says of itself; asked for once nobody types any more. */
export function useLinkPreview(url: string) {
  const settled = useSettled(url, 700)
  const { data } = useCall('GET /link-preview', { url: settled }, { enabled: settled !== '', keepsLast: false })
  return settled === '' ? undefined : data?.Preview
}

/** How an address will read: a short link with a hash that is made when it goes out. */
export function useShortLinks(): (part: string) => string {
  const { data } = useCall('GET /link-settings', {})
  const base = data?.LinkSettings.ShortUrl ?? ''
  return (part) => (base && /^https?:/.test(part) ? `${base.replace(/^https?:\/\//, '')}/••••••••` : part)
}
