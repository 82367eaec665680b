import { QueryClientProvider } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { applyTheme } from '@/api/preferences.ts'
import { queryClient } from '@/api/queries.ts'
import { loadTexts } from '@/i18n/texts.ts'
import { Router } from '@/routes/router.ts'
import { App } from '@/shell/app.tsx'
import icon from './icon.svg'

applyTheme()
await loadTexts(navigator.languages)
const root = document.getElementById('root')
if (root && icon)
  createRoot(root).render(
    <QueryClientProvider client={queryClient}>
      <Router>
        <App />
      </Router>
    </QueryClientProvider>,
  )
