import { type ComponentType, lazy, Suspense, useEffect } from 'react'
import type { Ability } from '#kernel/permissions.ts'
import { useAdmins, useMay, useWho } from '@/api/session.ts'
import { type Words, words } from '@/i18n/texts.ts'
import { go, useAddress } from '@/routes/router.ts'
import { Bar, Scroll } from '@/ui/layout.tsx'
import { Empty, Locked, Waiting } from '@/ui/states.tsx'

const path = '/app/settings'
const section = (load: () => Promise<ComponentType>) => lazy(async () => ({ default: await load() }))

interface Section {
  name: keyof Words['settings']['section']
  needs: Ability
  isOwn: boolean
  part: ComponentType
}

/** In the order in which they are listed: what is one's own, then what is the account's. */
const sections: readonly Section[] = [
  {
    name: 'me',
    needs: 'read',
    isOwn: true,
    part: section(async () => (await import('./me.tsx')).Me),
  },
  {
    name: 'keys',
    needs: 'read',
    isOwn: true,
    part: section(async () => (await import('./api-keys.tsx')).Keys),
  },
  {
    name: 'sign-ins',
    needs: 'enter',
    isOwn: true,
    part: section(async () => (await import('./sessions.tsx')).SignIns),
  },
  {
    name: 'account',
    needs: 'read',
    isOwn: false,
    part: section(async () => (await import('./account.tsx')).Account),
  },
  {
    name: 'workflows',
    needs: 'read',
    isOwn: false,
    part: section(async () => (await import('./workflows.tsx')).Workflows),
  },
  {
    name: 'domains',
    needs: 'read',
    isOwn: false,
    part: section(async () => (await import('./domains.tsx')).Domains),
  },
  {
    name: 'tags',
    needs: 'read',
    isOwn: false,
    part: section(async () => (await import('./tags.tsx')).Tags),
  },
  {
    name: 'conversions',
    needs: 'read',
    isOwn: false,
    part: section(async () => (await import('./conversions.tsx')).Conversions),
  },
  {
    name: 'integrations',
    needs: 'read',
    isOwn: false,
    part: section(async () => (await import('./integrations.tsx')).Integrations),
  },
  {
    name: 'audit',
    needs: 'administer',
    isOwn: false,
    part: section(async () => (await import('./audit.tsx')).Audit),
  },
]

/** Everything that is set once: in sections that save by themselves, each with an address of its own. */
export function Settings() {
  const { path: here } = useAddress()
  const may = useMay()
  const name = here.slice(path.length + 1)
  const current = sections.find((one) => one.name === name)
  useEffect(() => {
    if (here === path) go(`${path}/me`, { replace: true })
  }, [here])
  const open = sections.filter(({ needs }) => may(needs))
  return (
    <>
      <Bar title={words.settings.title} />
      <div className="settings">
        <nav className="settings-nav" aria-label={words.settings.sections} data-sideways>
          {([true, false] as const).map((isOwn) => (
            <section key={String(isOwn)}>
              <h2>{isOwn ? words.settings.yours : words.settings.accounts}</h2>
              {open
                .filter((one) => one.isOwn === isOwn)
                .map((one) => (
                  <a
                    key={one.name}
                    href={`${path}/${one.name}`}
                    aria-current={one.name === name ? 'page' : undefined}
                    ref={(link) => {
                      if (one.name === name) link?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
                    }}
                  >
                    {words.settings.section[one.name]}
                  </a>
                ))}
            </section>
          ))}
        </nav>
        <Suspense fallback={<Waiting />}>
          {current ? (
            may(current.needs) ? (
              <current.part />
            ) : (
              <Refused ability={current.needs} />
            )
          ) : here === path ? (
            <Waiting />
          ) : (
            <Empty icon="question" title={words.settings.noSection} />
          )}
        </Suspense>
      </div>
    </>
  )
}

/** Who comes by a link reads what is missing, and who can help. */
function Refused({ ability }: { ability: Ability }) {
  const { User } = useWho()
  return (
    <Scroll className="settings-part">
      <Locked ability={ability} role={User.Role} admins={useAdmins()} />
    </Scroll>
  )
}
