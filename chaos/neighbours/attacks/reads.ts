import type { Attacker } from '../attacker.ts'

const day = 86_400_000
const dayText = (moment: number) => new Date(moment).toISOString().slice(0, 10)

/** The heaviest questions there are, many at once. */
export function reads({ call, targets, endlessly }: Attacker) {
  const now = Date.now()
  const days = { fromDate: dayText(now), toDate: dayText(now + 59 * day) }
  const filters = { statuses: ['pending'], networks: ['Twitter'], showArchived: '1' }
  const { campaignId } = targets
  const lists = [
    '/post?_count=100&withPostlogs=1&status=pending&source=API&_order=startDateTime,1',
    `/post?_count=100&withPostlogs=1&campaignId=${campaignId}&_page=9`,
    `/message?_count=100&withTags=1&campaignId=${campaignId}`,
    '/campaign?_count=200&withTags=1&q=e&_order=name,1',
    '/click?_count=200&_order=campaignName,1',
    `/click?_count=200&convertsOnly=0&campaignId=${campaignId}`,
    '/media?_count=100&q=a&_order=name,0',
    '/upload?_count=100&status=pending',
    '/tag?_count=100&q=9&_order=tag,0',
    '/link?_count=100',
    '/webhook?_count=100&name=u',
    '/user?_count=100&q=a',
  ]
  return endlessly(64, (turn) => {
    if (turn % 3 === 0) return call('POST /calendar', { body: turn % 2 === 0 ? days : { ...days, filters } })
    const [path = '', query = ''] = (lists[turn % lists.length] ?? '').split('?')
    return call(`GET ${path}`, { query })
  })
}
