import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import type { Ability } from '#kernel/permissions.ts'
import type { Texts } from '@/i18n/texts.ts'
import type { IconName } from '@/ui/icons.tsx'

/** A screen of the console: its path, required permission and navigation entry. */
export interface Route {
  name: keyof Texts['shell']['screens']
  /** Matches as a prefix, or only exactly. */
  path: string
  icon: IconName
  keys: string
  needs: Ability
  group: keyof Texts['shell']['groups']
  /** Position among the tabs on phones. */
  tab?: number
  screen: LazyExoticComponent<ComponentType>
}

const screen = (load: () => Promise<ComponentType>) => lazy(async () => ({ default: await load() }))

/** In the order of the sidebar. A new screen needs an entry here, its name in `i18n/en/shell.ts`, and its folder. */
export const routes: readonly Route[] = [
  {
    name: 'home',
    path: '/app/home',
    icon: 'home',
    keys: 'g h',
    needs: 'read',
    group: 'publish',
    tab: 1,
    screen: screen(async () => (await import('@/features/home/home.tsx')).Home),
  },
  {
    name: 'calendar',
    path: '/app/calendar',
    icon: 'calendar',
    keys: 'g c',
    needs: 'read',
    group: 'publish',
    tab: 2,
    screen: screen(async () => (await import('@/features/calendar/calendar.tsx')).Calendar),
  },
  {
    name: 'compose',
    path: '/app/compose',
    icon: 'write',
    keys: 'c',
    needs: 'contribute',
    group: 'publish',
    tab: 3,
    screen: screen(async () => (await import('@/features/composer/composer.tsx')).Composer),
  },
  {
    name: 'campaigns',
    path: '/app/campaigns',
    icon: 'campaigns',
    keys: 'g p',
    needs: 'read',
    group: 'publish',
    screen: screen(async () => (await import('@/features/campaigns/campaigns.tsx')).Campaigns),
  },
  {
    name: 'approvals',
    path: '/app/approvals',
    icon: 'approvals',
    keys: 'g a',
    needs: 'read',
    group: 'publish',
    tab: 4,
    screen: screen(async () => (await import('@/features/approvals/approvals.tsx')).Approvals),
  },
  {
    name: 'library',
    path: '/app/library',
    icon: 'media',
    keys: 'g m',
    needs: 'read',
    group: 'publish',
    screen: screen(async () => (await import('@/features/library/library.tsx')).Library),
  },
  {
    name: 'profiles',
    path: '/app/profiles',
    icon: 'profiles',
    keys: 'g r',
    needs: 'read',
    group: 'workspace',
    screen: screen(async () => (await import('@/features/profiles/profiles.tsx')).Profiles),
  },
  {
    name: 'people',
    path: '/app/people',
    icon: 'people',
    keys: 'g u',
    needs: 'read',
    group: 'workspace',
    screen: screen(async () => (await import('@/features/people/people.tsx')).People),
  },
  {
    name: 'settings',
    path: '/app/settings',
    icon: 'settings',
    keys: 'g t',
    needs: 'read',
    group: 'workspace',
    screen: screen(async () => (await import('@/features/settings/settings.tsx')).Settings),
  },
]

/** The route of a path; the root is home. */
export const routeAt = (path: string): Route | undefined =>
  routes.find((route) => path === route.path || path.startsWith(`${route.path}/`))

/** Screens by id prefix: an id pasted into the command palette opens its entity. */
export const idRoutes: readonly { begins: string; to: (id: string) => string }[] = [
  { begins: '026', to: (id) => `/app/library?asset=${id}` },
  { begins: '003-', to: (id) => `/app/profiles/${encodeURIComponent(id)}` },
  { begins: '035', to: (id) => `/app/library?folder=${id}` },
  { begins: '002', to: (id) => `/app/campaigns/${id}` },
  { begins: 'cwi', to: (id) => `/app/approvals?item=${id}` },
  { begins: '00A', to: (id) => `/app/people?user=${id}` },
  { begins: '025', to: (id) => `/app/people?team=${id}` },
  { begins: 'cwf', to: (id) => `/app/settings/workflows?workflow=${id}` },
  { begins: '0ct', to: (id) => `/app/settings/conversions?tag=${id}` },
  { begins: '014', to: (id) => `/app/settings/integrations?integration=${id}` },
  { begins: '004', to: (id) => `/app/calendar?post=${id}` },
]
