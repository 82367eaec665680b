import { momentOf } from '../../../time/days.ts'
import { Icon } from '../../../ui/marks/icons.tsx'
import { NetworkMark, networkName } from '../../../ui/marks/network-mark.tsx'
import { StatusMark } from '../../../ui/marks/status.tsx'
import type { Body } from '../../../wire/call.ts'
import { dayAndClock } from '../../../words/format.ts'
import { words } from '../../../words/words.ts'
import { HomeList, HomeRow } from './home-list.tsx'

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
