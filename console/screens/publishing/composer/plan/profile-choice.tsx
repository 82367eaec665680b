import { memo } from 'react'
import { go } from '../../../../shell/router.ts'
import { LinkButton } from '../../../../ui/inputs/button.tsx'
import { say } from '../../../../ui/layers/toasts.tsx'
import { Empty } from '../../../../ui/layout/states.tsx'
import { Icon } from '../../../../ui/marks/icons.tsx'
import { NetworkMark, networkName, networks } from '../../../../ui/marks/network-mark.tsx'
import { words } from '../../../../words/words.ts'
import type { Change, Profile } from '../composition.ts'

interface ProfileChoiceProps {
  profiles: readonly Profile[]
  chosen: readonly string[]
  change: Change
}

/** Where it is published: every profile by network. What is broken says so and leads to where it is mended. */
export const ProfileChoice = memo(({ profiles, chosen, change }: ProfileChoiceProps) => {
  if (profiles.length === 0)
    return (
      <Empty
        icon="profiles"
        title={words.composer.noProfiles}
        action={
          <LinkButton kind="main" href="/app/profiles">
            {words.composer.toProfiles}
          </LinkButton>
        }
      >
        {words.composer.noProfilesWhy}
      </Empty>
    )
  const toggle = (profile: Profile) => {
    const { Id, DisplayName, Network } = profile
    if (chosen.includes(Id)) return change({ profiles: chosen.filter((one) => one !== Id) })
    if (isUsable(profile)) return change({ profiles: [...chosen, Id] })
    say(words.composer.broken(DisplayName, networkName(Network)), {
      kind: 'problem',
      action: {
        label: words.composer.lookAtIt,
        run: () => go(`/app/profiles/${encodeURIComponent(Id)}`),
      },
    })
  }
  return (
    <fieldset className="profile-choice">
      <legend>{words.composer.publishTo}</legend>
      {networks
        .flatMap((network) => profiles.filter(({ Network }) => Network === network))
        .map((profile) => (
          <button
            key={profile.Id}
            type="button"
            className="toggle-chip profile-choice-one"
            aria-pressed={chosen.includes(profile.Id)}
            data-broken={!isUsable(profile) || undefined}
            onClick={() => toggle(profile)}
          >
            <NetworkMark network={profile.Network} label />
            <span dir="auto">{profile.DisplayName}</span>
            {!isUsable(profile) && (
              <>
                <Icon name="warning" />
                <span className="unseen">{words.composer.isBroken}</span>
              </>
            )}
          </button>
        ))}
    </fieldset>
  )
})

const isUsable = ({ State }: Profile) => State === 'fine' || State === 'ending'
