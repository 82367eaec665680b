import { leadsSomewhere } from '../../../shell/router.ts'
import type { Body } from '../../../wire/call.ts'
import { number } from '../../../words/format.ts'
import { words } from '../../../words/words.ts'
import { HomeList } from './home-list.tsx'

/** What others did since yesterday, in numbers. */
export function CameIn({ came: { Conversations, Leads, Conversions } }: { came: Body<'GET /overview'>['CameIn'] }) {
  const w = words.home
  const parts = [
    { count: Conversations, name: w.conversations(Conversations), href: '/app/inbox' },
    { count: Leads, name: w.leads(Leads), href: '/app/leads' },
    { count: Conversions, name: w.conversions(Conversions), href: '/app/links' },
  ]
  return (
    <HomeList title={w.cameIn} total={Conversations + Leads + Conversions} empty={w.nothingCame}>
      <li className="home-numbers">
        {parts.map(({ count, name, href }) => {
          const shown = (
            <>
              <b className="number">{number(count)}</b> {name}
            </>
          )
          return leadsSomewhere(href) ? (
            <a key={href} href={href}>
              {shown}
            </a>
          ) : (
            <span key={href}>{shown}</span>
          )
        })}
      </li>
    </HomeList>
  )
}
