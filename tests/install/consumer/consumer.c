/* A minimal user of the installed library: lints six bytes and prints the number of findings. */
#include <lightlint/lightlint.h>
#include <stdio.h>

int main(void)
{
    ll_ruleset *rules = NULL;
    ll_report *report = NULL;
    bool fine = ll_ruleset_create(NULL, &rules) == LL_OK && ll_ruleset_seal(rules, NULL) == LL_OK &&
                ll_report_create(NULL, &report) == LL_OK && ll_lint(rules, "GIF89a", 6, NULL, report) == LL_OK;
    printf("lightlint %s: %zu\n", ll_version(), fine ? ll_report_finding_count(report) : 0);
    ll_report_free(report);
    ll_ruleset_free(rules);
    return fine ? 0 : 1;
}
