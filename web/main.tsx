import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { startLocale } from './i18n/locale.ts'
import { ShellContext, type ShellContextValue } from './layouts/shell-context.ts'
import { queryClient, router } from './router.ts'
import './styles/index.css'

// stands until the session is asked for
const nobody: ShellContextValue = {
  user: { id: '', name: '–' },
  roles: [],
  can: () => false,
  connection: 'live',
  signOut: () => undefined,
  search: async () => [],
}

async function start() {
  const root = document.getElementById('root')
  if (!root) throw new Error('index.html has no #root')
  await startLocale()
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <ShellContext value={nobody}>
          <RouterProvider router={router} />
        </ShellContext>
      </QueryClientProvider>
    </StrictMode>,
  )
}

void start()
