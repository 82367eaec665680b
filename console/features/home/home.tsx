import { type ReactNode, useId } from 'react'
import type { Body } from '@/api/call.ts'
import { errorDetails, useApiQuery } from '@/api/queries.ts'
import {
  formatDateTime,
  formatList,
  formatNumber,
  formatRelativeTime,
  formatTime,
  userTimeZone,
} from '@/i18n/format.ts'
import { texts } from '@/i18n/texts.ts'
import { useCanOpen } from '@/routes/router.ts'
import { now, parseOptionalTimestamp, parseTimestamp } from '@/time/days.ts'
import { NetworkIcon, networkName, StatusBadge } from '@/ui/badges.tsx'
import { LinkButton } from '@/ui/button.tsx'
import { Icon } from '@/ui/icons.tsx'
import { PageHeader, ScrollArea } from '@/ui/layout.tsx'
import { ErrorMessage, Loading } from '@/ui/states.tsx'
import * as styles from './home.module.css'

/** Items that need the user's attention, in four lists. */
export function Home() {
  const { data, error, refetch } = useApiQuery('GET /overview', {})
  return (
    <>
      <PageHeader title={texts.home.title} about={texts.home.zone(userTimeZone())} />
      <ScrollArea className={styles.home}>
        {error && <ErrorMessage {...errorDetails(error)} onRetry={() => void refetch()} />}
        {data ? (
          <>
            <FirstSteps steps={data.FirstSteps} />
            <div className={styles.lists}>
              <PendingForMe waits={data.WaitsForMe} />
              <Failures failures={data.WentWrong} />
              <UpcomingPosts posts={data.GoesOutNext} total={data.GoesOutTotal} />
              <RecentActivity activity={data.CameIn} />
            </div>
          </>
        ) : (
          !error && <Loading />
        )}
      </ScrollArea>
    </>
  )
}

type Steps = Body<'GET /overview'>['FirstSteps']

const stepPaths: { [step in keyof Steps]: string } = {
  Profile: '/app/profiles',
  Campaign: '/app/campaigns',
  Post: '/app/compose',
  Invitation: '/app/people',
  Webhook: '/app/webhooks',
}

/** Onboarding checklist, shown until all steps are done. */
export function FirstSteps({ steps }: { steps: Steps }) {
  const canOpen = useCanOpen()
  const t = texts.home
  const names = Object.keys(stepPaths) as (keyof Steps)[]
  if (names.every((name) => steps[name])) return null
  return (
    <section className={styles.firstSteps} aria-labelledby="first-steps">
      <h2 id="first-steps">{t.steps}</h2>
      <p className="muted">{t.stepsWhy}</p>
      <ol>
        {names.map((name) => (
          <li key={name} data-done={steps[name] || undefined}>
            <Icon name={steps[name] ? 'check' : 'dashed'} />
            <span className="visually-hidden">{steps[name] ? t.done : t.toDo}: </span>
            {!steps[name] && canOpen(stepPaths[name]) ? <a href={stepPaths[name]}>{t.step[name]}</a> : t.step[name]}
          </li>
        ))}
      </ol>
    </section>
  )
}

type Pending = Body<'GET /overview'>['WaitsForMe']

/** Approvals at the user's step, and conversations assigned to the user. */
export function PendingForMe({ waits: { Approvals, Total, Conversations } }: { waits: Pending }) {
  const t = texts.home
  return (
    <HomeList
      title={t.waits}
      total={Total + Conversations}
      empty={t.nothingWaits}
      more={{ count: Total - Approvals.length, href: '/app/approvals' }}
    >
      {Conversations > 0 && (
        <HomeRow href="/app/inbox?assignee=me" icon={<Icon name="inbox" />} details="">
          {t.assigned(Conversations)}
        </HomeRow>
      )}
      {Approvals.map(({ Id, Network, Text, Due }) => (
        <HomeRow
          key={Id}
          href={`/app/approvals?item=${Id}`}
          icon={<Sign networks={networksOf(Network)} />}
          details={[Network && t.onNetwork(formatList(networksOf(Network).map(networkName))), dueIn(Due)]
            .filter(Boolean)
            .join(' · ')}
        >
          {Text || t.withoutText}
        </HomeRow>
      ))}
    </HomeList>
  )
}

/** A story can be for several networks. */
const networksOf = (networks: string) => networks.split(', ').filter(Boolean)

const Sign = ({ networks }: { networks: string[] }) =>
  networks.length === 1 && networks[0] ? <NetworkIcon network={networks[0]} /> : <Icon name="advocacy" />

function dueIn(timestamp: string): string {
  const due = parseOptionalTimestamp(timestamp)
  if (due === undefined) return ''
  const timeLeft = formatRelativeTime(due, now())
  return due < now() ? texts.home.wasDue(timeLeft) : texts.home.due(timeLeft)
}

type FailureLists = Body<'GET /overview'>['WentWrong']

/** Broken profiles first, because they cause failed posts; then posts, then webhooks. */
export function Failures({ failures }: { failures: FailureLists }) {
  const t = texts.home
  const { Posts, PostsTotal, Profiles, ProfilesTotal, Webhooks, WebhooksTotal } = failures
  return (
    <HomeList
      title={t.wentWrong}
      total={PostsTotal + ProfilesTotal + WebhooksTotal}
      empty={t.nothingWrong}
      more={{ count: PostsTotal - Posts.length, href: '/app/calendar?view=list&status=failed,unconfirmed,late' }}
    >
      {Profiles.map((profile) => (
        <HomeRow
          key={profile.Id}
          href={`/app/profiles/${profile.Id}`}
          icon={<NetworkIcon network={profile.Network} label />}
          details={<AboutProfile profile={profile} />}
        >
          {profile.Name}
        </HomeRow>
      ))}
      {Posts.map(({ Id, Network, Text, At, Trouble }) => (
        <HomeRow
          key={Id}
          href={`/app/calendar?post=${Id}`}
          icon={<NetworkIcon network={Network} label />}
          details={
            <>
              {Trouble !== '' && <StatusBadge status={statuses[Trouble]}>{t.trouble[Trouble]}</StatusBadge>}{' '}
              {formatDateTime(At * 1000)}
            </>
          }
        >
          {Text || t.withoutText}
        </HomeRow>
      ))}
      {Webhooks.map(({ Id, Name, FailingSince, Reason }) => (
        <HomeRow
          key={Id}
          href={`/app/webhooks/${Id}`}
          icon={<Icon name="webhooks" />}
          details={`${t.failingWebhook(formatDateTime(parseTimestamp(FailingSince)))}: ${Reason}`}
        >
          {Name}
        </HomeRow>
      ))}
    </HomeList>
  )
}

const statuses = { failed: 'failed', unconfirmed: 'unsure', late: 'waiting' } as const

/** The cause, and the number of posts affected. */
function AboutProfile({ profile }: { profile: FailureLists['Profiles'][number] }) {
  const t = texts.home
  const { Status, Reason, ExpiresOn, AtRisk, NextAtRisk, Network } = profile
  const state =
    Status === 'invalid' ? Reason || t.brokenProfile : t.endingProfile(formatDateTime(parseTimestamp(ExpiresOn)))
  return (
    <>
      {networkName(Network)} · {state}
      {AtRisk > 0 && <> · {t.atRisk(AtRisk, formatDateTime(parseTimestamp(NextAtRisk)))}</>}
    </>
  )
}

/** The next 24 hours. */
export function UpcomingPosts({ posts, total }: { posts: Body<'GET /overview'>['GoesOutNext']; total: number }) {
  const canOpen = useCanOpen()
  const t = texts.home
  return (
    <HomeList
      title={t.next}
      total={total}
      empty={
        <>
          {t.nothingNext}
          {canOpen('/app/compose') && <LinkButton href="/app/compose">{t.plan}</LinkButton>}
        </>
      }
      more={{ count: total - posts.length, href: '/app/calendar' }}
    >
      {posts.map(({ Id, Network, Text, At }) => (
        <HomeRow
          key={Id}
          href={`/app/calendar?post=${Id}`}
          icon={<NetworkIcon network={Network} label />}
          details={`${formatTime(At * 1000)} · ${formatRelativeTime(At * 1000, now())}`}
        >
          {Text || t.withoutText}
        </HomeRow>
      ))}
    </HomeList>
  )
}

/** Activity of other users since yesterday, in numbers. */
export function RecentActivity({
  activity: { Conversations, Leads, Conversions },
}: {
  activity: Body<'GET /overview'>['CameIn']
}) {
  const canOpen = useCanOpen()
  const t = texts.home
  const parts = [
    { count: Conversations, name: t.conversations(Conversations), href: '/app/inbox' },
    { count: Leads, name: t.leads(Leads), href: '/app/leads' },
    { count: Conversions, name: t.conversions(Conversions), href: '/app/links' },
  ]
  return (
    <HomeList title={t.cameIn} total={Conversations + Leads + Conversions} empty={t.nothingCame}>
      <li className={styles.numbers}>
        {parts.map(({ count, name, href }) => {
          const shown = (
            <>
              <b className="tabular-nums">{formatNumber(count)}</b> {name}
            </>
          )
          return canOpen(href) ? (
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
  /** Shown for an empty list. */
  empty: ReactNode
  children: ReactNode
  /** Number of items not shown, with a link to them. */
  more?: { count: number; href: string }
}

export function HomeList({ title, total, empty, children, more }: ListProps) {
  const id = useId()
  return (
    <section data-testid="home-list" className={styles.list} aria-labelledby={id}>
      <h2 id={id}>
        {title} {total > 0 && <span className={`${styles.count} tabular-nums`}>{formatNumber(total)}</span>}
      </h2>
      {total === 0 ? <div className={styles.empty}>{empty}</div> : <ul>{children}</ul>}
      {more && more.count > 0 && <MaybeLink href={more.href}>{texts.home.more(more.count)}</MaybeLink>}
    </section>
  )
}

interface RowProps {
  href: string
  icon: ReactNode
  children: ReactNode
  /** Time or status. */
  details: ReactNode
}

/** One item with details; links to the screen where it can be handled. */
export const HomeRow = ({ href, icon: sign, children, details: about }: RowProps) => (
  <li className={styles.row}>
    {sign}
    <span className={styles.rowText}>
      <MaybeLink href={href}>
        <span className={styles.text} dir="auto">
          {children}
        </span>
      </MaybeLink>
      <small>{about}</small>
    </span>
  </li>
)

/** A link if the user may open the screen, otherwise text. */
function MaybeLink({ href, children }: { href: string; children: ReactNode }) {
  return useCanOpen()(href) ? <a href={href}>{children}</a> : <span>{children}</span>
}
