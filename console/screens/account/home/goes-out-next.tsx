import { leadsSomewhere } from '../../../shell/router.ts'
import { now } from '../../../time/days.ts'
import { LinkButton } from '../../../ui/inputs/button.tsx'
import { NetworkMark } from '../../../ui/marks/network-mark.tsx'
import type { Body } from '../../../wire/call.ts'
import { clock, distance } from '../../../words/format.ts'
import { words } from '../../../words/words.ts'
import { HomeList, HomeRow } from './home-list.tsx'

/** The next 24 hours. */
export function GoesOutNext({ posts, total }: { posts: Body<'GET /overview'>['GoesOutNext']; total: number }) {
  const w = words.home
  return (
    <HomeList
      title={w.next}
      total={total}
      empty={
        <>
          {w.nothingNext}
          {leadsSomewhere('/app/compose') && <LinkButton href="/app/compose">{w.plan}</LinkButton>}
        </>
      }
      more={{ count: total - posts.length, href: '/app/calendar' }}
    >
      {posts.map(({ Id, Network, Text, At }) => (
        <HomeRow
          key={Id}
          href={`/app/calendar?post=${Id}`}
          sign={<NetworkMark network={Network} label />}
          about={`${clock(At * 1000)} · ${distance(At * 1000, now())}`}
        >
          {Text || w.withoutText}
        </HomeRow>
      ))}
    </HomeList>
  )
}
