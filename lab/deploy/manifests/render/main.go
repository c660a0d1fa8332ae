// Renders a Helm chart with the template engine and the functions that Helm uses, and prints its documents as JSON, one
// per line. Usage: render CHART VALUES, with the values as JSON. It has what the chart of this project needs, not more.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"gopkg.in/yaml.v3"
)

type files string

// Get returns a file of the chart, or nothing, as Helm does.
func (chart files) Get(name string) string {
	text, _ := os.ReadFile(filepath.Join(string(chart), name))
	return string(text)
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func readYaml(path string) map[string]interface{} {
	text, err := os.ReadFile(path)
	check(err)
	values := map[string]interface{}{}
	check(yaml.Unmarshal(text, &values))
	return values
}

func merge(base, over map[string]interface{}) map[string]interface{} {
	for key, value := range over {
		inner, isMap := value.(map[string]interface{})
		outer, wasMap := base[key].(map[string]interface{})
		if isMap && wasMap {
			base[key] = merge(outer, inner)
		} else {
			base[key] = value
		}
	}
	return base
}

func toYaml(value interface{}) string {
	var text bytes.Buffer
	encoder := yaml.NewEncoder(&text)
	encoder.SetIndent(2)
	check(encoder.Encode(value))
	return strings.TrimSuffix(text.String(), "\n")
}

func main() {
	chart := os.Args[1]
	var over map[string]interface{}
	check(json.Unmarshal([]byte(os.Args[2]), &over))
	metadata := readYaml(filepath.Join(chart, "Chart.yaml"))
	data := map[string]interface{}{
		"Chart": map[string]interface{}{
			"Name": metadata["name"], "Version": metadata["version"], "AppVersion": metadata["appVersion"],
		},
		"Release": map[string]interface{}{"Name": "bundle-console", "Namespace": "test", "Service": "Helm"},
		"Values":  merge(readYaml(filepath.Join(chart, "values.yaml")), over),
		"Files":   files(chart),
	}

	root := template.New("chart").Option("missingkey=zero")
	root.Funcs(sprig.TxtFuncMap()).Funcs(template.FuncMap{
		"include": func(name string, value interface{}) (string, error) {
			var text bytes.Buffer
			err := root.ExecuteTemplate(&text, name, value)
			return text.String(), err
		},
		"required": func(message string, value interface{}) (interface{}, error) {
			list, isList := value.([]interface{})
			if value == nil || value == "" || isList && len(list) == 0 {
				return nil, errors.New(message)
			}
			return value, nil
		},
		"toYaml": toYaml,
		"fromYaml": func(text string) (map[string]interface{}, error) {
			value := map[string]interface{}{}
			err := yaml.Unmarshal([]byte(text), &value)
			return value, err
		},
	})
	var names []string
	check(filepath.Walk(filepath.Join(chart, "templates"), func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err == nil {
			_, err = root.New(path).Parse(string(text))
			names = append(names, path)
		}
		return err
	}))
	sort.Strings(names)
	for _, name := range names {
		if strings.HasPrefix(filepath.Base(name), "_") {
			continue
		}
		var text bytes.Buffer
		check(root.ExecuteTemplate(&text, name, data))
		decoder := yaml.NewDecoder(&text)
		for {
			var document map[string]interface{}
			err := decoder.Decode(&document)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				check(fmt.Errorf("%s: %w", name, err))
			}
			if document != nil {
				line, err := json.Marshal(document)
				check(err)
				fmt.Println(string(line))
			}
		}
	}
}
