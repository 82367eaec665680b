import { useEffect, useState } from 'react'
import type { IconName } from '../ui/marks/icons.tsx'
import { useCall } from '../wire/queries.ts'
import { words } from '../words/words.ts'
import { go, leadsSomewhere } from './router.ts'

/** A line of the palette. */
export interface Command {
  /** Where several may have the same name. */
  id?: string
  name: string
  /** What kind of thing it is. */
  about?: string
  icon: IconName
  keys?: string
  run: () => void
}

/** As many of each kind as are looked through at a glance. */
const most = 5
/** In milliseconds: whoever types a word means the word, not each of its letters. */
const pause = 150

/** What in the account is called like this: campaigns, files, people; and posts by the calendar, which has all that tells them apart. */
export function useThings(wanted: string): Command[] {
  const text = usePaused(wanted.trim())
  const isAsked = text.length > 1
  const finding = (path: string) => ({ enabled: isAsked && leadsSomewhere(path) })
  const asked = { q: text, _count: most }
  const campaigns = useCall('v2 GET /campaign', asked, finding('/app/campaigns'))
  const files = useCall('v2 GET /media', { q: text }, finding('/app/library'))
  const people = useCall('v2 GET /user', { q: text }, finding('/app/people'))
  if (!isAsked) return []
  const thing = (icon: Command['icon'], kind: string, id: string, name: string, to: string): Command => ({
    id,
    name,
    icon,
    about: kind,
    run: () => go(to),
  })
  const { place } = words.shell
  return [
    ...shown(campaigns).map(({ Id, Name }) => thing('campaigns', place.campaigns, Id, Name, `/app/campaigns/${Id}`)),
    ...shown(files).map(({ Id, Name }) => thing('media', place.library, Id, Name, `/app/library?asset=${Id}`)),
    ...shown(people).map(({ Id, Name }) => thing('people', place.people, Id, Name, `/app/people?user=${Id}`)),
    ...(leadsSomewhere('/app/calendar') ? [inCalendar(text)] : []),
  ]
}

const inCalendar = (text: string): Command => ({
  id: 'find',
  name: words.shell.findPosts(text),
  icon: 'calendar',
  run: () => go(`/app/calendar?${new URLSearchParams({ view: 'list', find: text })}`),
})

/** What was found for other words is no answer. */
const shown = <Item>({
  data,
  isPlaceholderData,
}: {
  data?: { Items: readonly Item[] } | undefined
  isPlaceholderData: boolean
}): readonly Item[] => (isPlaceholderData ? [] : (data?.Items.slice(0, most) ?? []))

/** A value once it has stood for a moment. */
function usePaused(value: string): string {
  const [stands, setStands] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setStands(value), pause)
    return () => clearTimeout(timer)
  }, [value])
  return stands
}
