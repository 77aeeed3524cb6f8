#!/usr/bin/env python3
"""Checks SARIF logs of lightlint: against the OASIS schema, against rules that validators do not check, and with the
Multitool if there is one.

usage: check_sarif.py [--profile sarif|sarif-github] [--schema FILE] [--multitool FILE] [--root DIR] LOG...

--profile    profile of the logs; detected from the first region by default
--schema     sarif-2.1.0.json (the npm packages of the Multitool carry one); needs python3-jsonschema
--multitool  the Sarif.Multitool program
--root       folder that the URIs are relative to: snippets, lengths and fixes are then compared with the files

Exit code: 0 no problem, 1 a problem, 2 usage. A check that was asked for but cannot run here is reported; then the
exit code is 77 if there is no problem."""
import argparse
import base64
import collections
import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.parse

RESULTS_MAX = {'sarif': None, 'sarif-github': 5000}
RULES_MAX, LOCATIONS_MAX, TAGS_MAX, TEXT_MAX = 25000, 100, 10, 1024
LINES = ('startLine', 'startColumn', 'endLine', 'endColumn')
UNSTABLE = ('startTimeUtc', 'endTimeUtc', 'commandLine', 'arguments', 'machine', 'account', 'workingDirectory', 'processId')
LEVELS = ('error', 'warning', 'note')
PLACEHOLDER = re.compile(r'\{\{|\}\}|\{(\d+)\}')

# What the Multitool may report about our logs, and why we accept it.
MULTITOOL_ALLOWED = {
    ('SARIF2003', 'Note_Default'): 'no versionControlProvenance: output does not depend on the checkout',
    ('SARIF2006', 'Note_Default'): '$schema is not fetched without a network',
    ('SARIF2013', 'Note_Default'): 'no embedded contents: they would multiply the size',
    ('SARIF2005', 'Warning_ProvideToolnformationUri'): 'no informationUri unless the build names a home page',
    ('SARIF2012', 'Note_ProvideHelpUri'): 'no helpUri unless the build names a home page',
    ('SARIF2011', 'Note_Default'): 'no contextRegion where the region is the whole file, or too long to copy',
}


class Log:
    """One log and the problems found in it."""

    def __init__(self, path, profile):
        self.path = path
        self.problems = []
        with open(path, encoding='utf-8') as file:
            self.log = json.load(file, object_pairs_hook=self.unique)
        self.run = self.log['runs'][0]
        self.profile = profile or self.guess()

    def unique(self, pairs):
        keys = [key for key, _ in pairs]
        for key, count in collections.Counter(keys).items():
            if count > 1:
                self.say('an object', f'key {key} occurs {count} times')
        return dict(pairs)

    def guess(self):
        for result in self.run['results']:
            return 'sarif-github' if 'startLine' in region_of(result) else 'sarif'
        return 'sarif'

    def say(self, where, what):
        self.problems.append(f'{self.path}: {where}: {what}')

    def need(self, condition, where, what):
        if not condition:
            self.say(where, what)
        return bool(condition)


def region_of(result):
    return result['locations'][0]['physicalLocation']['region']


def objects(value, path='$'):
    """Every object below value, with its path."""
    stack = [(value, path)]
    while stack:
        item, at = stack.pop()
        if isinstance(item, dict):
            yield item, at
            stack.extend((child, f'{at}.{key}') for key, child in item.items())
        elif isinstance(item, list):
            stack.extend((child, f'{at}[{i}]') for i, child in enumerate(item))


def unfold(template, arguments=None):
    """The text of a message string, with its arguments filled in and {{ }} unescaped."""
    def replace(match):
        if match.group(0) in ('{{', '}}'):
            return match.group(0)[0]
        return arguments[int(match.group(1))] if arguments is not None else match.group(0)
    return PLACEHOLDER.sub(replace, template)


# ------------------------------------------------------------------ the run

def check_run(log):
    run = log.run
    log.need(log.log['$schema'] == 'https://json.schemastore.org/sarif-2.1.0.json', '$schema', 'not the final schema')
    log.need(log.log['version'] == '2.1.0' and len(log.log['runs']) == 1, '$', 'not one run of version 2.1.0')
    log.need('columnKind' not in run, 'run', 'columnKind in a run without text')
    base = run.get('originalUriBaseIds', {}).get('%SRCROOT%', {})
    described = base.get('description', {}).get('text')
    log.need(described and 'uri' not in base, 'run', '%SRCROOT% must have a description and no uri')
    category = run.get('automationDetails', {}).get('id', '')
    log.need(category.endswith('/'), 'run', 'automationDetails.id must end with /')
    limit = RESULTS_MAX[log.profile]
    log.need(limit is None or len(run['results']) <= limit, 'results', f'more than {limit}')
    for secret in UNSTABLE:
        for invocation in run['invocations']:
            log.need(secret not in invocation, 'invocation', f'{secret} changes from run to run')
    check_invocation(log, run['invocations'][0])


def check_invocation(log, invocation):
    code = invocation.get('exitCode')
    log.need(code in (0, 1, 2), 'invocation', f'exit code {code}')
    log.need(invocation['executionSuccessful'] is True, 'invocation', 'the run failed')
    log.need(invocation.get('exitCodeDescription'), 'invocation', 'exit code without a description')
    known = log.run['tool']['driver'].get('notifications', [])
    for notification in invocation.get('toolExecutionNotifications', []):
        log.need(notification.get('level') != 'error', 'notification', 'level error says that the run failed')
        descriptor = notification['descriptor']
        named = known[descriptor['index']]['id'] if descriptor['index'] < len(known) else None
        log.need(named == descriptor['id'], 'notification', 'descriptor is not listed')
    for descriptor in known:
        log.need(descriptor.get('help', {}).get('text'), 'notification descriptor', 'no help')
    rules = log.run['tool']['driver']['rules']
    for override in invocation.get('ruleConfigurationOverrides', []):
        descriptor = override['descriptor']
        log.need(rules[descriptor['index']]['id'] == descriptor['id'], 'override', 'descriptor is not listed')


def check_rules(log):
    rules = log.run['tool']['driver']['rules']
    used = collections.Counter(result['ruleId'] for result in log.run['results'])
    log.need(len(rules) <= RULES_MAX, 'rules', f'more than {RULES_MAX}')
    for what in ('id', 'name'):
        for value, count in collections.Counter(rule[what] for rule in rules).items():
            log.need(count == 1, 'rules', f'{what} {value} occurs {count} times')
    for rule in rules:
        where = f'rule {rule["id"]}'
        log.need(re.fullmatch(r'[A-Z][A-Z0-9]+', rule['id']), where, 'id is not letters and digits')
        log.need(re.fullmatch(r'([A-Z][a-z0-9]+)+', rule['name']), where, 'name is not PascalCase')
        log.need(rule['name'] != rule['id'], where, 'name is the id')
        for key in ('shortDescription', 'fullDescription', 'help'):
            text = rule.get(key, {}).get('text')
            log.need(text, where, f'no {key}')
            log.need(key == 'help' or len(text or '') <= TEXT_MAX, where, f'{key} is longer than {TEXT_MAX}')
        log.need(rule['help'].get('markdown'), where, 'help without markdown')
        log.need('deprecatedIds' not in rule, where, 'deprecatedIds confuse result matching')
        properties = rule['properties']
        log.need(1 <= len(properties['tags']) <= TAGS_MAX, where, f'tags: not 1 to {TAGS_MAX}')
        log.need('security-severity' not in properties, where, 'security-severity makes it a security alert')
        log.need(properties['problem.severity'] in ('error', 'warning', 'recommendation'), where, 'problem.severity')
        log.need(properties['precision'] in ('very-high', 'high', 'medium', 'low'), where, 'precision')
        log.need(log.profile == 'sarif-github' or used[rule['id']], where, 'has no result')
        for name, message in rule['messageStrings'].items():
            log.need(message['text'].endswith('.'), where, f'message {name} does not end with a full stop')
            bare = re.search(r"(?<!')\{\d+\}|\{\d+\}(?!')", message['text'].replace('{{', '').replace('}}', ''))
            log.need(not bare, where, f'message {name} has an unquoted placeholder')


# ------------------------------------------------------------------ results

def check_message(log, where, result, rule):
    message = result['message']
    template = rule['messageStrings'].get(message.get('id'), {}).get('text')
    if log.need(template, where, 'message id is not one of its rule'):
        shown = unfold(template, message['arguments'])
        log.need(unfold(message['text']) == shown, where, f'text is not its message string: {shown!r}')
    log.need(message['text'].endswith('.'), where, 'message does not end with a full stop')
    log.need('+0x' in message['text'].split(': ')[0], where, 'the place is not in the first sentence')


def check_region(log, where, region, size):
    if not log.need('byteOffset' in region and 'byteLength' in region, where, 'no byte region'):
        return
    end = region['byteOffset'] + region['byteLength']
    log.need(region['byteOffset'] >= 0 and end <= size, where, 'region extends beyond the file')
    log.need('charOffset' not in region and 'charLength' not in region, where, 'text region of a binary file')
    log.need('text' not in region.get('snippet', {}), where, 'snippet.text of a binary file')


def check_lines(log, where, region, wanted, is_text=False):
    lines = [key for key in LINES if key in region]
    if wanted and is_text:
        columns = region.get('startColumn') == region.get('endColumn') == 1
        log.need(columns and 1 <= region.get('startLine', 0) == region.get('endLine'), where, 'must be one line of the text')
    elif wanted:
        log.need(all(region.get(key) == 1 for key in LINES), where, 'lines and columns must all be 1')
    else:
        log.need(not lines, where, f'text region of a binary file: {lines}')


def check_context(log, where, place, size):
    context = place.get('contextRegion')
    if not context:
        return
    region = place['region']
    check_region(log, f'{where} contextRegion', context, size)
    check_lines(log, f'{where} contextRegion', context, False)
    start, end = context['byteOffset'], context['byteOffset'] + context['byteLength']
    inside = start <= region['byteOffset'] and region['byteOffset'] + region['byteLength'] <= end
    log.need(inside, where, 'contextRegion misses the region')
    log.need(context['byteLength'] > region['byteLength'], where, 'contextRegion is no larger than the region')
    log.need(start % 16 == 0 and (end % 16 == 0 or end == size), where, 'contextRegion is not made of whole rows')


def check_uri(log, where, location):
    uri = location.get('uri', '')
    log.need(uri and re.fullmatch(r"(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-F]{2})+", uri), where, f'uri {uri!r}')
    if 'uriBaseId' in location:
        log.need(location['uriBaseId'] == '%SRCROOT%', where, 'uriBaseId')
        segments = uri.split('/')
        log.need(not uri.startswith('/') and not {'', '.', '..'} & set(segments), where, f'uri {uri!r} is not normal')


def check_fixes(log, where, result, size):
    for fix in result.get('fixes', []):
        log.need(fix.get('artifactChanges'), where, 'fix without changes')
        for change in fix.get('artifactChanges', []):
            check_uri(log, where, change['artifactLocation'])
            for replacement in change['replacements']:
                region, content = replacement['deletedRegion'], replacement.get('insertedContent', {})
                check_region(log, f'{where} fix', region, size)
                check_lines(log, f'{where} fix', region, False)
                if log.need(set(content) == {'binary'}, where, 'insertedContent must be binary only'):
                    inserted = len(base64.b64decode(content['binary'], validate=True))
                    log.need(inserted or region['byteLength'], where, 'fix changes nothing')


def is_marked(result):
    return bool(result.get('suppressions')) or result.get('baselineState') == 'unchanged'


def check_marks(log):
    """Every result has suppressions, possibly none. Either all results have a baselineState or none has one."""
    results = log.run['results']
    states = [result.get('baselineState') for result in results]
    log.need(all(state is None for state in states) or None not in states, 'results', 'baselineState: all or none carry it')
    for number, result in enumerate(results):
        where = f'result {number} ({result["ruleId"]})'
        log.need(result.get('baselineState') in (None, 'new', 'unchanged'), where, f'baselineState {result.get("baselineState")}')
        if not log.need(isinstance(result.get('suppressions'), list), where, 'suppressions must be present, even if empty'):
            continue
        log.need(len(result['suppressions']) <= 1, where, 'suppressed more than once')
        for suppression in result['suppressions']:
            log.need(suppression.get('kind') == 'external', where, 'suppression: not external')
            log.need(suppression.get('status') == 'accepted', where, 'suppression: not accepted')
            log.need(suppression.get('justification', '').strip(), where, 'suppression without a reason')
            place = suppression['location']['physicalLocation']
            check_uri(log, f'{where} suppression', place['artifactLocation'])
            log.need(place['region']['startLine'] >= 1, where, 'suppression without a line')
            log.need(result.get('baselineState') != 'unchanged', where, 'both suppressed and in the baseline')


def check_fingerprints(log, where, result, seen):
    prints = result.get('partialFingerprints', {})
    path = prints.get('lightlintFieldPath/v1', '')
    log.need(re.fullmatch(r'[0-9a-f]{16}', path), where, 'no lightlintFieldPath/v1')
    line_hash = prints.get('primaryLocationLineHash', '')
    log.need(re.fullmatch(r'[0-9a-f]{16}:[1-9][0-9]*', line_hash), where, 'no primaryLocationLineHash')
    log.need('fingerprints' not in result, where, 'fingerprints are for result management systems')
    log.need(path not in seen, where, f'fingerprint {path} was used before, by {seen.get(path)}')
    seen[path] = where


def nested_artifact(log, where, result, location):
    """The artifact nested in the result's file that a location names by index; None if it names the file itself."""
    if 'index' not in location:
        return None
    artifacts = log.run['artifacts']
    if not log.need(0 <= location['index'] < len(artifacts), where, f'artifact index {location["index"]}'):
        return None
    artifact = artifacts[location['index']]
    log.need(artifact['location'] == {'uri': location['uri']}, where, f'index {location["index"]} is another artifact')
    primary = result['locations'][0]['physicalLocation']
    parent = artifacts[artifact.get('parentIndex', 0)]
    log.need(parent['location']['uri'] == primary['artifactLocation']['uri'], where, 'nested in another file')
    return artifact


def place_of(result):
    """Key that must be unique per result: rule, file and bytes, including the bytes in a nested artifact."""
    places = [location['physicalLocation'] for location in (result['locations'][0], *result.get('relatedLocations', [])[:1])]
    places = [place for i, place in enumerate(places) if i == 0 or 'index' in place['artifactLocation']]
    return (result['ruleId'], *((place['artifactLocation']['uri'], place['region']['byteOffset'], place['region']['byteLength'])
                                for place in places))


def check_nested(log, number, artifact):
    where = f'artifact {number}'
    artifacts = log.run['artifacts']
    if log.need(0 <= artifact['parentIndex'] < number, where, 'parentIndex'):
        parent = artifacts[artifact['parentIndex']]
        log.need('parentIndex' not in parent, where, 'nested in a nested artifact')
        log.need(0 <= artifact['offset'] < parent['length'], where, 'offset outside of the parent')
    log.need(artifact['length'] > 0 and 'roles' not in artifact, where, 'length or roles')


def check_related(log, where, result, size):
    ids = [location.get('id') for location in result.get('relatedLocations', [])]
    log.need(len(ids) == len(set(ids)) and None not in ids, where, 'related locations need ids of their own')
    for location in result.get('relatedLocations', []):
        log.need(location.get('message', {}).get('text'), where, 'related location without a message')
        place = location['physicalLocation']
        check_uri(log, where, place['artifactLocation'])
        nested = nested_artifact(log, where, result, place['artifactLocation'])
        check_region(log, f'{where} related', place['region'], nested['length'] if nested else size)
        check_lines(log, f'{where} related', place['region'], log.profile == 'sarif-github')


def check_result(log, number, result, sizes, texts, seen):
    rules = log.run['tool']['driver']['rules']
    where = f'result {number} ({result["ruleId"]})'
    rule = rules[result['ruleIndex']] if 0 <= result['ruleIndex'] < len(rules) else {}
    if not log.need(rule.get('id') == result['ruleId'], where, 'ruleIndex is that of another rule'):
        return
    log.need(result['level'] in LEVELS and result.get('kind', 'fail') == 'fail', where, 'level')
    log.need(1 <= len(result['locations']) <= LOCATIONS_MAX, where, 'locations')
    location = result['locations'][0]
    place = location['physicalLocation']
    uri = place['artifactLocation']['uri']
    if not log.need(uri in sizes, where, f'{uri} is not among the artifacts'):
        return
    check_uri(log, where, place['artifactLocation'])
    check_message(log, where, result, rule)
    check_region(log, where, place['region'], sizes[uri])
    check_lines(log, where, place['region'], log.profile == 'sarif-github', uri in texts)
    check_context(log, where, place, sizes[uri])
    check_related(log, where, result, sizes[uri])
    check_fixes(log, where, result, sizes[uri])
    check_fingerprints(log, where, result, seen)
    logical = location['logicalLocations'][0]
    log.need(logical['fullyQualifiedName'].endswith(logical['name']), where, 'logicalLocation: name')
    log.need(logical['kind'] in ('member', 'type'), where, 'logicalLocation: kind')


def check_results(log):
    sizes, texts = {}, set()
    for number, artifact in enumerate(log.run['artifacts']):
        uri = artifact['location']['uri']
        if 'parentIndex' in artifact:
            check_uri(log, f'artifact {uri}', artifact['location'])
            check_nested(log, number, artifact)
            continue
        log.need(uri not in sizes, f'artifact {uri}', 'occurs twice')
        check_uri(log, f'artifact {uri}', artifact['location'])
        sizes[uri] = artifact['length']
        texts.update([uri] if artifact['mimeType'] == 'text/plain' else [])
        log.need('analysisTarget' in artifact['roles'], f'artifact {uri}', 'is not an analysisTarget')
        log.need(not {'encoding', 'sourceLanguage'} & set(artifact), f'artifact {uri}', 'properties of text')
    seen, places = {}, collections.Counter()
    for number, result in enumerate(log.run['results']):
        check_result(log, number, result, sizes, texts, seen)
        places[place_of(result)] += 1
    for place, count in places.items():
        log.need(count == 1, f'result {place}', f'occurs {count} times')
    spoke = {result['locations'][0]['physicalLocation']['artifactLocation']['uri'] for result in log.run['results']}
    for artifact in log.run['artifacts']:
        if 'parentIndex' in artifact:
            continue
        is_result = 'resultFile' in artifact['roles']
        exact = log.profile == 'sarif' or not log.run['invocations'][0].get('toolExecutionNotifications')
        fits = is_result == (artifact['location']['uri'] in spoke)
        log.need(fits or not exact, 'artifact', 'role resultFile does not fit the results')
    if log.profile == 'sarif-github':
        order = [LEVELS.index(result['level']) for result in log.run['results']]
        log.need(order == sorted(order), 'results', 'not sorted by severity')
        log.need(not any(map(is_marked, log.run['results'])), 'results', 'code scanning opens alerts for marked results')


def check_provenance(log):
    for details in log.run.get('versionControlProvenance', []):
        uri = urllib.parse.urlsplit(details.get('repositoryUri', ''))
        log.need(uri.scheme and uri.netloc, 'versionControlProvenance', 'repositoryUri: no absolute URI')
        log.need(not uri.password, 'versionControlProvenance', 'repositoryUri: a password')
        log.need(set(details) <= {'repositoryUri', 'revisionId', 'branch', 'revisionTag', 'mappedTo'},
                 'versionControlProvenance', f'keys {sorted(details)}')
        log.need(all(details.values()), 'versionControlProvenance', 'an empty value')
        log.need(details.get('mappedTo', {'uriBaseId': '%SRCROOT%'}) == {'uriBaseId': '%SRCROOT%'},
                 'versionControlProvenance', 'mappedTo: not the root of the sources')


def check_bytes(log, root):
    """Compares snippets, lengths and fixes with the files."""
    contents = {}
    for artifact in log.run['artifacts']:
        if 'parentIndex' in artifact:
            continue
        uri = artifact['location']['uri']
        path = os.path.join(root, urllib.parse.unquote(uri))
        if os.path.isfile(path):
            with open(path, 'rb') as file:
                contents[uri] = file.read()
            log.need(len(contents[uri]) == artifact['length'] or artifact['length'] == 0, f'artifact {uri}', 'length')
    for number, result in enumerate(log.run['results']):
        place = result['locations'][0]['physicalLocation']
        data = contents.get(place['artifactLocation']['uri'])
        for region in (place['region'], place.get('contextRegion', {})):
            binary = region.get('snippet', {}).get('binary')
            if data is not None and binary is not None:
                start = region['byteOffset']
                same = base64.b64decode(binary) == data[start:start + region['byteLength']]
                log.need(same, f'result {number}', 'snippet differs from the file')


# ------------------------------------------------------------------ external validators

def thinned(log):
    """The log with one result of each rule, level and set of properties: these validators take 5 ms per result."""
    kinds = {(result['ruleId'], result.get('level'), *sorted(result)): result for result in log.run['results']}
    return log.log | {'runs': [log.run | {'results': list(kinds.values())}, *log.log['runs'][1:]]}


def check_schema(log, schema_path):
    try:
        import jsonschema
    except ImportError:
        return 'python3-jsonschema is not installed'
    if not os.path.isfile(schema_path):
        return f'{schema_path} is not there'
    with open(schema_path, encoding='utf-8') as file:
        schema = json.load(file)
    validator = jsonschema.validators.validator_for(schema)(schema)
    some = thinned(log)
    # The schema wants artifacts to differ, and this validator compares each with each; the Multitool does it faster.
    some['runs'][0] |= {'artifacts': some['runs'][0].get('artifacts', [])[:20]}
    for error in validator.iter_errors(some):
        log.say('schema ' + '/'.join(str(step) for step in error.absolute_path), error.message[:300])
    return None


def check_multitool(log, program):
    if not os.access(program, os.X_OK):
        return f'{program} cannot be run'
    with tempfile.TemporaryDirectory() as folder:
        some, output = os.path.join(folder, 'some.sarif'), os.path.join(folder, 'said.sarif')
        with open(some, 'w', encoding='utf-8') as file:
            json.dump(thinned(log), file)
        command = [program, 'validate', some, '--rule-kind', 'Sarif;Ghas', '--rich-return-code', 'true',
                   '--level', 'Error;Warning;Note', '--max-file-size-in-kb', '1000000', '--output', output,
                   '--log', 'ForceOverwrite']
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if not os.path.exists(output):
            return f'{program} wrote nothing: {(run.stdout + run.stderr).strip()[-300:]}'
        with open(output, encoding='utf-8-sig') as file:
            said = json.load(file)
    for result in said['runs'][0].get('results') or []:
        said_what = (result['ruleId'].split('/')[0], result['message'].get('id'))
        if said_what not in MULTITOOL_ALLOWED:
            arguments = ' '.join(result['message'].get('arguments', []))[:300]
            log.say(f'Multitool {said_what[0]} ({result.get("level", "warning")})', f'{said_what[1]}: {arguments}')
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--profile', choices=sorted(RESULTS_MAX))
    parser.add_argument('--schema')
    parser.add_argument('--multitool')
    parser.add_argument('--root')
    parser.add_argument('logs', nargs='+', metavar='LOG')
    options = parser.parse_args()
    problems, skipped, results = [], set(), 0
    for path in options.logs:
        try:
            log = Log(path, options.profile)
            results += len(log.run['results'])
            check_run(log)
            check_rules(log)
            check_results(log)
            check_provenance(log)
            check_marks(log)
            if options.root:
                check_bytes(log, options.root)
            if options.schema:
                skipped.add(check_schema(log, options.schema))
            if options.multitool:
                skipped.add(check_multitool(log, options.multitool))
            problems += log.problems
        except (KeyError, IndexError, TypeError, ValueError) as error:
            problems.append(f'{path}: cannot be read as a log of lightlint: {type(error).__name__}: {error}')
    skipped.discard(None)
    for line in problems:
        print(line)
    print(f'{len(options.logs)} logs, {results} results: {len(problems)} problems')
    for name, value in (('--schema', options.schema), ('--multitool', options.multitool)):
        if not value:
            print(f'not checked: no {name} was given')
    for reason in sorted(skipped):
        print(f'not checked: {reason}')
    return 1 if problems else 77 if skipped else 0


if __name__ == '__main__':
    sys.exit(main())
