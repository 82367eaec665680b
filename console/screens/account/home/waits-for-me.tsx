import { momentIfAny, now } from '../../../time/days.ts'
import { Icon } from '../../../ui/marks/icons.tsx'
import { NetworkMark, networkName } from '../../../ui/marks/network-mark.tsx'
import type { Body } from '../../../wire/call.ts'
import { distance, list } from '../../../words/format.ts'
import { words } from '../../../words/words.ts'
import { HomeList, HomeRow } from './home-list.tsx'

type Waits = Body<'GET /overview'>['WaitsForMe']

/** Approvals at one's own step, and conversations that were given to one. */
export function WaitsForMe({ waits: { Approvals, Total, Conversations } }: { waits: Waits }) {
  const w = words.home
  return (
    <HomeList
      title={w.waits}
      total={Total + Conversations}
      empty={w.nothingWaits}
      more={{ count: Total - Approvals.length, href: '/app/approvals' }}
    >
      {Conversations > 0 && (
        <HomeRow href="/app/inbox?assignee=me" sign={<Icon name="inbox" />} about="">
          {w.assigned(Conversations)}
        </HomeRow>
      )}
      {Approvals.map(({ Id, Network, Text, Due }) => (
        <HomeRow
          key={Id}
          href={`/app/approvals?item=${Id}`}
          sign={<Sign networks={networksOf(Network)} />}
          about={[Network && w.onNetwork(list(networksOf(Network).map(networkName))), dueIn(Due)]
            .filter(Boolean)
            .join(' · ')}
        >
          {Text || w.withoutText}
        </HomeRow>
      ))}
    </HomeList>
  )
}

/** A story is for several. */
const networksOf = (networks: string) => networks.split(', ').filter(Boolean)

const Sign = ({ networks }: { networks: string[] }) =>
  networks.length === 1 && networks[0] ? <NetworkMark network={networks[0]} /> : <Icon name="advocacy" />

function dueIn(wire: string): string {
  const due = momentIfAny(wire)
  if (due === undefined) return ''
  const away = distance(due, now())
  return due < now() ? words.home.wasDue(away) : words.home.due(away)
}
