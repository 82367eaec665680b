import { type ReactNode, useId } from 'react'
import type { Body } from '@/api/call.ts'
import { told, useCall } from '@/api/queries.ts'
import { clock, dayAndClock, distance, list, number, readersZone } from '@/i18n/format.ts'
import { words } from '@/i18n/texts.ts'
import { leadsSomewhere } from '@/routes/router.ts'
import { momentIfAny, momentOf, now } from '@/time/days.ts'
import { NetworkMark, networkName, StatusMark } from '@/ui/badges.tsx'
import { LinkButton } from '@/ui/button.tsx'
import { Icon } from '@/ui/icons.tsx'
import { Bar, Scroll } from '@/ui/layout.tsx'
import { Problem, Waiting } from '@/ui/states.tsx'

/** What needs whoever looks: four lists, each with what to do about it. */
export function Home() {
  const { data, error, refetch } = useCall('GET /overview', {})
  return (
    <>
      <Bar title={words.home.title} about={words.home.zone(readersZone())} />
      <Scroll className="home">
        {error && <Problem {...told(error)} onAgain={() => void refetch()} />}
        {data ? (
          <>
            <FirstSteps steps={data.FirstSteps} />
            <div className="home-lists">
              <WaitsForMe waits={data.WaitsForMe} />
              <WentWrong wrong={data.WentWrong} />
              <GoesOutNext posts={data.GoesOutNext} total={data.GoesOutTotal} />
              <CameIn came={data.CameIn} />
            </div>
          </>
        ) : (
          !error && <Waiting />
        )}
      </Scroll>
    </>
  )
}

type Steps = Body<'GET /overview'>['FirstSteps']

const places: { [step in keyof Steps]: string } = {
  Profile: '/app/profiles',
  Campaign: '/app/campaigns',
  Post: '/app/compose',
  Invitation: '/app/people',
  Webhook: '/app/webhooks',
}

/** For whoever begins, until all of it is done. */
export function FirstSteps({ steps }: { steps: Steps }) {
  const w = words.home
  const names = Object.keys(places) as (keyof Steps)[]
  if (names.every((name) => steps[name])) return null
  return (
    <section className="first-steps" aria-labelledby="first-steps">
      <h2 id="first-steps">{w.steps}</h2>
      <p className="quiet">{w.stepsWhy}</p>
      <ol>
        {names.map((name) => (
          <li key={name} data-done={steps[name] || undefined}>
            <Icon name={steps[name] ? 'check' : 'dashed'} />
            <span className="unseen">{steps[name] ? w.done : w.toDo}: </span>
            {!steps[name] && leadsSomewhere(places[name]) ? <a href={places[name]}>{w.step[name]}</a> : w.step[name]}
          </li>
        ))}
      </ol>
    </section>
  )
}

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

type Wrong = Body<'GET /overview'>['WentWrong']

/** Broken profiles first: they are why posts fail. Then posts, then webhooks. */
export function WentWrong({ wrong }: { wrong: Wrong }) {
  const w = words.home
  const { Posts, PostsTotal, Profiles, ProfilesTotal, Webhooks, WebhooksTotal } = wrong
  return (
    <HomeList
      title={w.wentWrong}
      total={PostsTotal + ProfilesTotal + WebhooksTotal}
      empty={w.nothingWrong}
      more={{ count: PostsTotal - Posts.length, href: '/app/calendar?view=list&status=failed,unconfirmed,late' }}
    >
      {Profiles.map((profile) => (
        <HomeRow
          key={profile.Id}
          href={`/app/profiles/${profile.Id}`}
          sign={<NetworkMark network={profile.Network} label />}
          about={<AboutProfile profile={profile} />}
        >
          {profile.Name}
        </HomeRow>
      ))}
      {Posts.map(({ Id, Network, Text, At, Trouble }) => (
        <HomeRow
          key={Id}
          href={`/app/calendar?post=${Id}`}
          sign={<NetworkMark network={Network} label />}
          about={
            <>
              {Trouble !== '' && <StatusMark status={statuses[Trouble]}>{w.trouble[Trouble]}</StatusMark>}{' '}
              {dayAndClock(At * 1000)}
            </>
          }
        >
          {Text || w.withoutText}
        </HomeRow>
      ))}
      {Webhooks.map(({ Id, Name, FailingSince, Reason }) => (
        <HomeRow
          key={Id}
          href={`/app/webhooks/${Id}`}
          sign={<Icon name="webhooks" />}
          about={`${w.failingWebhook(dayAndClock(momentOf(FailingSince)))}: ${Reason}`}
        >
          {Name}
        </HomeRow>
      ))}
    </HomeList>
  )
}

const statuses = { failed: 'failed', unconfirmed: 'unsure', late: 'waiting' } as const

/** Why nothing goes out there, and what waits for it. */
function AboutProfile({ profile }: { profile: Wrong['Profiles'][number] }) {
  const w = words.home
  const { Status, Reason, ExpiresOn, AtRisk, NextAtRisk, Network } = profile
  const state = Status === 'invalid' ? Reason || w.brokenProfile : w.endingProfile(dayAndClock(momentOf(ExpiresOn)))
  return (
    <>
      {networkName(Network)} · {state}
      {AtRisk > 0 && <> · {w.atRisk(AtRisk, dayAndClock(momentOf(NextAtRisk)))}</>}
    </>
  )
}

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

interface ListProps {
  title: string
  total: number
  /** What stands there when there is nothing. */
  empty: ReactNode
  children: ReactNode
  /** How many are not shown, and where they are. */
  more?: { count: number; href: string }
}

/** One of the lists of home. */
export function HomeList({ title, total, empty, children, more }: ListProps) {
  const id = useId()
  return (
    <section className="home-list" aria-labelledby={id}>
      <h2 id={id}>
        {title} {total > 0 && <span className="home-count number">{number(total)}</span>}
      </h2>
      {total === 0 ? <div className="home-empty">{empty}</div> : <ul>{children}</ul>}
      {more && more.count > 0 && <MaybeLink href={more.href}>{words.home.more(more.count)}</MaybeLink>}
    </section>
  )
}

interface RowProps {
  href: string
  sign: ReactNode
  children: ReactNode
  /** When, or how it stands. */
  about: ReactNode
}

/** One thing, with what there is to know of it; it leads to where something can be done. */
export const HomeRow = ({ href, sign, children, about }: RowProps) => (
  <li className="home-row">
    {sign}
    <span className="home-words">
      <MaybeLink href={href}>
        <span className="home-text" dir="auto">
          {children}
        </span>
      </MaybeLink>
      <small>{about}</small>
    </span>
  </li>
)

/** A link, where the screen is one that whoever looks may enter. */
const MaybeLink = ({ href, children }: { href: string; children: ReactNode }) =>
  leadsSomewhere(href) ? <a href={href}>{children}</a> : <span>{children}</span>
