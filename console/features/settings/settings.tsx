import { type ComponentType, lazy, Suspense, useEffect } from 'react'
import type { Ability } from '#kernel/permissions.ts'
import { useAdmins, useMay, useSession } from '@/api/session.ts'
import { type Texts, texts } from '@/i18n/texts.ts'
import { navigate, useLocation } from '@/routes/router.ts'
import { PageHeader, ScrollArea } from '@/ui/layout.tsx'
import { AccessDenied, EmptyState, Loading } from '@/ui/states.tsx'
import * as styles from './settings.module.css'

const path = '/app/settings'
const section = (load: () => Promise<ComponentType>) => lazy(async () => ({ default: await load() }))

interface Section {
  name: keyof Texts['settings']['section']
  needs: Ability
  isOwn: boolean
  part: ComponentType
}

/** In display order: personal settings, then those of the account. */
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
    part: section(async () => (await import('./api-keys.tsx')).ApiKeys),
  },
  {
    name: 'sign-ins',
    needs: 'enter',
    isOwn: true,
    part: section(async () => (await import('./sessions.tsx')).Sessions),
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

/** Settings, in sections that save by themselves. Each has its own URL. */
export function Settings() {
  const { path: here } = useLocation()
  const may = useMay()
  const name = here.slice(path.length + 1)
  const current = sections.find((one) => one.name === name)
  useEffect(() => {
    if (here === path) navigate(`${path}/me`, { replace: true })
  }, [here])
  const open = sections.filter(({ needs }) => may(needs))
  return (
    <>
      <PageHeader title={texts.settings.title} />
      <div className={styles.settings}>
        <nav data-testid="settings-nav" className={styles.nav} aria-label={texts.settings.sections} data-sideways>
          {([true, false] as const).map((isOwn) => (
            <section key={String(isOwn)}>
              <h2>{isOwn ? texts.settings.yours : texts.settings.accounts}</h2>
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
                    {texts.settings.section[one.name]}
                  </a>
                ))}
            </section>
          ))}
        </nav>
        <Suspense fallback={<Loading />}>
          {current ? (
            may(current.needs) ? (
              <current.part />
            ) : (
              <Refused ability={current.needs} />
            )
          ) : here === path ? (
            <Loading />
          ) : (
            <EmptyState icon="question" title={texts.settings.noSection} />
          )}
        </Suspense>
      </div>
    </>
  )
}

/** For users who open a link without permission: names the missing permission and the admins. */
function Refused({ ability }: { ability: Ability }) {
  const { User } = useSession()
  return (
    <ScrollArea className={styles.section}>
      <AccessDenied ability={ability} role={User.Role} admins={useAdmins()} />
    </ScrollArea>
  )
}
